"""Pages of the old web: 22 encodings with a label each, and a text that they were used for."""

# ruff: noqa: RUF001 - letters of many scripts

# Label, Python's name of the encoding, text.
OLD_WEB = (
    (
        "windows-1251",
        "cp1251",
        "Съешь же ещё этих мягких французских булок, да выпей чаю — «№ 5»",
    ),
    ("koi8-r", "koi8_r", "Съешь же ещё этих мягких французских булок, да выпей чаю"),
    ("koi8-u", "koi8_u", "Чуєш їх, доцю, га? Кумедна ж ти, прощайся без ґольфів!"),
    (
        "iso-8859-5",
        "iso8859_5",
        "В чащах юга жил бы цитрус? Да, но фальшивый экземпляр!",
    ),
    (
        "x-mac-cyrillic",
        "mac_cyrillic",
        "В чащах юга жил бы цитрус? Да, но фальшивый экземпляр!",
    ),
    ("windows-1250", "cp1250", "Zażółć gęślą jaźń – „pchnąć w tę łódź jeża”"),
    ("iso-8859-2", "iso8859_2", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
    ("windows-1253", "cp1253", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία – «ναι»"),
    ("iso-8859-7", "iso8859_7", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία"),
    ("iso-8859-9", "cp1254", "Pijamalı hasta yağız şoföre çabucak güvendi"),
    ("windows-1255", "cp1255", "דג סקרן שט בים מאוכזב ולפתע מצא חברה"),
    ("windows-1256", "cp1256", "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر"),
    (
        "windows-1257",
        "cp1257",
        "Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą",
    ),
    (
        "iso-8859-15",
        "iso8859_15",
        "Voix ambiguë d'un cœur qui préfère les jattes de kiwis : 5 €",
    ),
    (
        "windows-1252",
        "cp1252",
        "Zwölf Boxkämpfer jagen Viktor quer über den „großen“ Sylter Deich",
    ),
    ("tis-620", "cp874", "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน"),
    ("gb2312", "gb18030", "视野无限广，窗外有蓝天。朱镕基，人民网：鎔嚞"),
    ("big5", "big5hkscs", "視野無限廣，窗外有藍天。𠝹開"),
    ("shift_jis", "cp932", "いろはにほへと ちりぬるを。①髙橋ｶﾅ"),
    (
        "euc-jp",
        "euc_jp",
        "いろはにほへと ちりぬるを。わか\N{KATAKANA LETTER SMALL KA}よたれそ",
    ),
    ("iso-2022-jp", "iso2022_jp", "いろはにほへと ちりぬるを。わかよたれそ"),
    ("euc-kr", "cp949", "키스의 고유조건은 입술끼리 만나야 하고 똠방각하 펲시콜라"),
)


def page(text: str, label: str) -> str:
    """Return a page that says it is in the encoding of that label."""
    return f"<!doctype html><html><head><meta charset={label}></head><body><p>{text}</p></body>"
