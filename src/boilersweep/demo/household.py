"""What the pages in twelve languages say: two posts of a household, and the menu of its site."""
# ruff: noqa: RUF001

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Article:
    """A post. query: words of its paragraphs, to look for it by."""

    title: str
    query: str
    paragraphs: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Site:
    """A site in a language. encoding: of its pages, and their label. menu: its short blocks."""

    language: str
    encoding: str
    menu: str
    articles: tuple[Article, Article]


SITES = (
    Site(
        "ar",
        "utf-8",
        "الرئيسية, وصفات, الحديقة, رحلات, الأرشيف, من نحن, اتصل بنا",
        (
            Article(
                "خبز من الفرن القديم",
                "فرن الخميرة",
                (
                    "خلف بيتنا في الفناء فرن من الطين بناه جدي قبل ستين سنة. في كل "
                    "يوم سبت نشعل فيه الحطب وننتظر ثلاث ساعات حتى تبيض الحجارة، ثم "
                    "نخرج الجمر بمكنسة مبللة قبل أن نضع العجين.",
                    "ترتاح الخميرة منذ المساء في وعاء كبير تحت قطعة من القماش. نصنع "
                    "ستة أرغفة مستديرة وندخلها بمجرفة طويلة ثم نغلق الباب بلوح من الخشب. "
                    "وبعد ساعة واحدة تملأ رائحة الخبز الطازج الشارع كله.",
                ),
            ),
            Article(
                "بركة للضفادع",
                "بركة الضفادع",
                (
                    "في شهر نيسان حفرنا في آخر الحديقة بركة طولها أربعة أمتار وعمقها "
                    "متر واحد في الوسط. وضعنا فوق الغطاء رملا وحصى، وزرعنا حولها القصب "
                    "والسوسن الأصفر الذي أعطتنا إياه جارتنا.",
                    "منذ الصيف الأول جلست الضفادع على الحجارة، وفي المساء كانت اليعاسيب "
                    "تصطاد فوق الماء. لم نضع فيها سمكا لأن السمك يأكل البيض، ومن دونه "
                    "تبقى الضفة صامتة في الربيع القادم.",
                ),
            ),
        ),
    ),
    Site(
        "de",
        "iso-8859-1",
        "Startseite, Rezepte, Garten, Reisen, Archiv, Über uns, Kontakt",
        (
            Article(
                "Brot aus dem alten Backofen",
                "Backofen Sauerteig",
                (
                    "Im Hof hinter unserem Haus steht ein Backofen aus Lehm, den mein "
                    "Großvater vor sechzig Jahren gebaut hat. Jeden Samstag heizen "
                    "wir ihn mit Birkenholz an, warten drei Stunden, bis die Steine "
                    "weiß werden, und kehren dann die Glut mit einem nassen Besen heraus.",
                    "Der Sauerteig ruht seit dem Abend davor in einer Schüssel unter "
                    "einem Tuch. Wir formen sechs runde Laibe, schieben sie mit der "
                    "langen Schaufel hinein und verschließen die Öffnung mit einem "
                    "Brett. Nach einer Stunde riecht die ganze Straße nach frischem "
                    "Brot.",
                ),
            ),
            Article(
                "Ein Teich für die Frösche",
                "Teich Frösche",
                (
                    "Im April haben wir am Ende des Gartens einen Teich gegraben, vier "
                    "Meter lang und an der tiefsten Stelle einen Meter tief. Auf die "
                    "Folie kamen Sand und Kies, an den Rand Schilf und gelbe Schwertlilien "
                    "aus dem Garten der Nachbarin.",
                    "Schon im ersten Sommer saßen Frösche auf den Steinen, und abends "
                    "jagten Libellen über das Wasser. Fische haben wir mit Absicht "
                    "keine eingesetzt, denn sie fressen den Laich, und ohne ihn bleibt "
                    "es am Ufer im nächsten Frühling still.",
                ),
            ),
        ),
    ),
    Site(
        "el",
        "iso-8859-7",
        "Αρχική, Συνταγές, Κήπος, Ταξίδια, Αρχείο, Σχετικά, Επικοινωνία",
        (
            Article(
                "Ψωμί από τον παλιό φούρνο",
                "φούρνος προζύμι",
                (
                    "Πίσω από το σπίτι μας, στην αυλή, υπάρχει ένας φούρνος από πηλό "
                    "που έχτισε ο παππούς μου πριν από εξήντα χρόνια. Κάθε Σάββατο "
                    "τον ανάβουμε με ξύλα και περιμένουμε τρεις ώρες, ώσπου να ασπρίσουν "
                    "οι πέτρες, και μετά βγάζουμε τα κάρβουνα.",
                    "Το προζύμι ξεκουράζεται από το προηγούμενο βράδυ σε μια λεκάνη "
                    "κάτω από μια πετσέτα. Πλάθουμε έξι στρογγυλά καρβέλια, τα βάζουμε "
                    "μέσα με το μακρύ φτυάρι και κλείνουμε το στόμα με μια σανίδα. "
                    "Μετά από μία ώρα όλος ο δρόμος μυρίζει φρέσκο ψωμί.",
                ),
            ),
            Article(
                "Μια λιμνούλα για τους βατράχους",
                "λιμνούλα βάτραχοι",
                (
                    "Τον Απρίλιο σκάψαμε στο τέλος του κήπου μια λιμνούλα με μήκος "
                    "τέσσερα μέτρα και βάθος ένα μέτρο στη μέση. Πάνω στο νάιλον ρίξαμε "
                    "άμμο και χαλίκι, και γύρω φυτέψαμε καλάμια και κίτρινες ίριδες "
                    "που μας έδωσε η γειτόνισσα.",
                    "Από το πρώτο κιόλας καλοκαίρι κάθονταν βάτραχοι πάνω στις πέτρες, "
                    "και το βράδυ οι λιβελούλες κυνηγούσαν πάνω από το νερό. Ψάρια "
                    "δεν βάλαμε επίτηδες, γιατί τρώνε τα αυγά, και χωρίς αυτά η όχθη "
                    "θα ήταν σιωπηλή την άνοιξη.",
                ),
            ),
        ),
    ),
    Site(
        "es",
        "utf-8",
        "Inicio, Recetas, Jardín, Viajes, Archivo, Quiénes somos, Contacto",
        (
            Article(
                "Pan del horno viejo",
                "horno masa madre",
                (
                    "Detrás de la casa, en el patio, hay un horno de barro que mi abuelo "
                    "construyó hace sesenta años. Todos los sábados lo calentamos con "
                    "leña de abedul durante tres horas, hasta que las piedras se ponen "
                    "blancas, y después sacamos las brasas con una escoba mojada.",
                    "La masa madre descansa desde la noche anterior en un cuenco cubierto "
                    "con un paño. Formamos seis hogazas redondas, las metemos con la "
                    "pala larga y cerramos la boca del horno con una tabla. Una hora "
                    "más tarde toda la calle huele a pan recién hecho.",
                ),
            ),
            Article(
                "Un estanque para las ranas",
                "estanque ranas",
                (
                    "En abril cavamos un estanque al fondo del jardín, de cuatro metros "
                    "de largo y un metro de profundidad en el centro. Sobre la lona "
                    "pusimos arena y grava, y en la orilla plantamos juncos y lirios "
                    "amarillos que nos regaló la vecina.",
                    "Ya en el primer verano llegaron las ranas a las piedras, y por "
                    "la tarde las libélulas cazaban sobre el agua. No hemos puesto "
                    "peces, porque se comen los huevos, y sin ellos la orilla se quedaría "
                    "muda en la primavera siguiente.",
                ),
            ),
        ),
    ),
    Site(
        "fr",
        "utf-8",
        "Accueil, Recettes, Jardin, Voyages, Archives, À propos, Contact",
        (
            Article(
                "Le pain du vieux four",
                "four levain",
                (
                    "Derrière la maison, dans la cour, se trouve un four en terre que "
                    "mon grand-père a construit il y a soixante ans. Chaque samedi "
                    "nous le chauffons avec du bois de bouleau pendant trois heures, "
                    "jusqu'à ce que les pierres deviennent blanches, puis nous retirons "
                    "les braises.",
                    "Le levain repose depuis la veille dans un grand saladier, sous "
                    "un linge. Nous formons six miches rondes, nous les glissons dans "
                    "le four avec la longue pelle et nous fermons la porte avec une "
                    "planche. Une heure plus tard, toute la rue sent le pain frais.",
                ),
            ),
            Article(
                "Une mare pour les grenouilles",
                "mare grenouilles",
                (
                    "Au mois d'avril nous avons creusé une mare au fond du jardin, "
                    "longue de quatre mètres et profonde d'un mètre en son milieu. "
                    "Sur la bâche nous avons mis du sable et du gravier, et tout autour "
                    "des roseaux et des iris jaunes donnés par la voisine.",
                    "Dès le premier été des grenouilles se sont installées sur les "
                    "pierres, et le soir les libellules chassaient au-dessus de l'eau. "
                    "Nous n'avons pas mis de poissons, car ils mangent les œufs, et "
                    "sans eux le bord de l'eau resterait silencieux au printemps.",
                ),
            ),
        ),
    ),
    Site(
        "he",
        "utf-8",
        "דף הבית, מתכונים, גינה, טיולים, ארכיון, אודות, צור קשר",
        (
            Article(
                "לחם מהתנור הישן",
                "תנור המחמצת",
                (
                    "מאחורי הבית שלנו, בחצר, עומד תנור מחימר שסבא שלי בנה לפני שישים "
                    "שנה. בכל יום שישי אנחנו מדליקים בו עצים ומחכים שלוש שעות עד שהאבנים "
                    "נעשות לבנות, ואז מוציאים את הגחלים במטאטא רטוב.",
                    "המחמצת נחה מהערב הקודם בקערה גדולה מתחת למגבת. אנחנו יוצרים שש "
                    "כיכרות עגולות, מכניסים אותן פנימה בעזרת מרדה ארוך וסוגרים את הפתח "
                    "בלוח עץ. אחרי שעה כל הרחוב מריח מלחם טרי.",
                ),
            ),
            Article(
                "בריכה לצפרדעים",
                "בריכה צפרדעים",
                (
                    "באפריל חפרנו בקצה הגינה בריכה באורך ארבעה מטרים ובעומק מטר אחד "
                    "באמצע. על היריעה שמנו חול וחצץ, ובשוליים שתלנו קנים ואירוסים צהובים "
                    "שקיבלנו מהשכנה.",
                    "כבר בקיץ הראשון ישבו צפרדעים על האבנים, ובערב צדו שפיריות מעל "
                    "המים. דגים לא הכנסנו בכוונה, כי הם אוכלים את הביצים, ובלעדיהן "
                    "הגדה תהיה שקטה באביב הבא.",
                ),
            ),
        ),
    ),
    Site(
        "hi",
        "utf-8",
        "मुखपृष्ठ, व्यंजन, बगीचा, यात्रा, पुराने लेख, हमारे बारे में, संपर्क",
        (
            Article(
                "पुराने तंदूर की रोटी",
                "तंदूर खमीर",
                (
                    "हमारे घर के पीछे आँगन में मिट्टी का एक तंदूर है जिसे मेरे दादा "
                    "ने साठ साल पहले बनाया था। हर शनिवार हम उसमें लकड़ी जलाते हैं और "
                    "तीन घंटे तक इंतज़ार करते हैं, जब तक पत्थर सफ़ेद न हो जाएँ, और "
                    "फिर अंगारे बाहर निकालते हैं।",
                    "खमीर पिछली शाम से एक बड़े बर्तन में कपड़े के नीचे रखा रहता है। "
                    "हम छह गोल रोटियाँ बनाते हैं, उन्हें लंबे फावड़े से अंदर रखते हैं "
                    "और मुँह को तख़्ते से बंद कर देते हैं। एक घंटे बाद पूरी गली में "
                    "ताज़ी रोटी की महक फैल जाती है।",
                ),
            ),
            Article(
                "मेंढकों के लिए तालाब",
                "तालाब मेंढक",
                (
                    "अप्रैल में हमने बगीचे के आख़िर में एक तालाब खोदा, जो चार मीटर "
                    "लंबा और बीच में एक मीटर गहरा है। चादर के ऊपर हमने रेत और कंकड़ "
                    "डाले और किनारे पर सरकंडे और पीले फूल लगाए जो हमें पड़ोसन ने दिए "
                    "थे।",
                    "पहली ही गर्मी में मेंढक पत्थरों पर बैठने लगे और शाम को पानी के "
                    "ऊपर पतंगे उड़ने लगे। हमने जान-बूझकर मछलियाँ नहीं डालीं क्योंकि "
                    "वे अंडे खा जाती हैं, और उनके बिना अगले वसंत में किनारा चुप रहता।",
                ),
            ),
        ),
    ),
    Site(
        "ja",
        "shift_jis",
        "ホーム, レシピ, 庭, 旅行, 過去の記事, このサイトについて, お問い合わせ",
        (
            Article(
                "古い窯で焼くパン",
                "窯 パン種",
                (
                    "家の裏の庭には、祖父が六十年前に土で作った窯があります。毎週土"
                    "曜日に白樺の薪で火を起こし、石が白くなるまで三時間待ってから、"
                    "濡れたほうきで炭をかき出します。",
                    "前の晩から仕込んだパン種は、大きな鉢に入れて布をかけてあります"
                    "。丸いパンを六つ作り、長いへらで窯に入れて、入り口を板でふさぎ"
                    "ます。一時間後には通りじゅうに焼きたてのパンの香りが広がります"
                    "。",
                ),
            ),
            Article(
                "カエルのための池",
                "池 カエル",
                (
                    "四月に庭の奥に長さ四メートル、真ん中の深さが一メートルの池を掘"
                    "りました。シートの上に砂と砂利を敷き、岸には隣の人からもらった"
                    "葦と黄色いアヤメを植えました。",
                    "最初の夏から石の上にカエルがすわり、夕方にはトンボが水の上を飛"
                    "びまわりました。魚はわざと入れませんでした。卵を食べてしまうの"
                    "で、次の春に水辺が静かになってしまうからです。",
                ),
            ),
        ),
    ),
    Site(
        "ko",
        "euc-kr",
        "홈, 요리법, 정원, 여행, 지난 글, 소개, 연락처",
        (
            Article(
                "오래된 화덕에서 구운 빵",
                "화덕 반죽은",
                (
                    "우리 집 뒤 마당에는 할아버지가 육십 년 전에 흙으로 지은 화덕이 "
                    "있다. 토요일마다 우리는 자작나무 장작으로 불을 피우고 돌이 하얗게 "
                    "될 때까지 세 시간을 기다린 다음 젖은 빗자루로 숯을 쓸어 낸다.",
                    "발효한 반죽은 전날 저녁부터 큰 그릇에 담아 천을 덮어 둔다. 우리는 "
                    "둥근 빵 여섯 개를 빚어 긴 삽으로 화덕 안에 넣고 나무판으로 입구를 "
                    "막는다. 한 시간이 지나면 온 골목에 갓 구운 빵 냄새가 난다.",
                ),
            ),
            Article(
                "개구리를 위한 연못",
                "연못을 개구리가",
                (
                    "사월에 우리는 정원 끝에 길이가 사 미터이고 가운데 깊이가 일 미터인 "
                    "연못을 팠다. 방수포 위에 모래와 자갈을 깔고 가장자리에는 이웃이 "
                    "나누어 준 갈대와 노란 붓꽃을 심었다.",
                    "첫해 여름부터 개구리가 돌 위에 앉아 있었고 저녁이면 잠자리가 물 "
                    "위를 날아다녔다. 물고기는 일부러 넣지 않았는데 알을 먹어 버리기 "
                    "때문이고 알이 없으면 다음 봄에 물가가 조용해질 것이다.",
                ),
            ),
        ),
    ),
    Site(
        "ru",
        "windows-1251",
        "Главная, Рецепты, Сад, Поездки, Архив, О нас, Контакты",
        (
            Article(
                "Хлеб из старой печи",
                "печь закваска",
                (
                    "За нашим домом во дворе стоит глиняная печь, которую мой дед построил "
                    "шестьдесят лет назад. Каждую субботу мы топим её берёзовыми дровами "
                    "три часа, пока камни не побелеют, а потом выметаем угли мокрой "
                    "метлой.",
                    "Закваска стоит с вечера в большой миске под полотенцем. Мы лепим "
                    "шесть круглых хлебов, сажаем их в печь длинной лопатой и закрываем "
                    "устье доской. Через час вся улица пахнет свежим хлебом.",
                ),
            ),
            Article(
                "Пруд для лягушек",
                "пруд лягушки",
                (
                    "В апреле мы выкопали в конце сада пруд длиной четыре метра и глубиной "
                    "в один метр посередине. На плёнку насыпали песок и гравий, а по "
                    "берегу посадили камыш и жёлтые ирисы, которые дала соседка.",
                    "Уже в первое лето на камнях сидели лягушки, а вечером над водой "
                    "охотились стрекозы. Рыбу мы нарочно не пускали, потому что она "
                    "ест икру, а без неё следующей весной на берегу было бы тихо.",
                ),
            ),
        ),
    ),
    Site(
        "th",
        "utf-8",
        "หน้าแรก, สูตรอาหาร, สวน, ท่องเที่ยว, บทความเก่า, เกี่ยวกับเรา, ติดต่อ",
        (
            Article(
                "ขนมปังจากเตาเก่า",
                "เตา แป้งหมัก",
                (
                    "หลังบ้านของเรามีเตาดินที่คุณปู่สร้างไว้เมื่อหกสิบปีก่อน ทุกวันเสาร์เรา"
                    "จุดไฟด้วยไม้ฟืนและรอสามชั่วโมงจนหินกลายเป็นสีขาว แล้วจึงกวาดถ่านออกด้ว"
                    "ยไม้กวาดเปียก",
                    "แป้งหมักพักไว้ในชามใบใหญ่ใต้ผ้าตั้งแต่เย็นวันก่อน เราปั้นขนมปังก้อนกลม"
                    "หกก้อน ใช้พลั่วยาวส่งเข้าไปในเตา แล้วปิดปากเตาด้วยแผ่นไม้ หนึ่งชั่วโมง"
                    "ต่อมาทั้งถนนก็มีกลิ่นขนมปังสดใหม่",
                ),
            ),
            Article(
                "บ่อน้ำสำหรับกบ",
                "บ่อน้ำ กบ",
                (
                    "ในเดือนเมษายนเราขุดบ่อน้ำที่ท้ายสวน ยาวสี่เมตรและลึกหนึ่งเมตรตรงกลาง "
                    "เราปูทรายและกรวดบนแผ่นพลาสติก และปลูกต้นกกกับดอกไม้สีเหลืองที่เพื่อนบ้"
                    "านให้มาไว้ริมขอบ",
                    "ตั้งแต่ฤดูร้อนแรกก็มีกบมานั่งบนก้อนหิน และในตอนเย็นแมลงปอก็บินอยู่เหนื"
                    "อน้ำ เราตั้งใจไม่ปล่อยปลา เพราะปลากินไข่กบ และถ้าไม่มีไข่ ฤดูใบไม้ผลิห"
                    "น้าริมบ่อก็จะเงียบ",
                ),
            ),
        ),
    ),
    Site(
        "zh",
        "gb2312",
        "首页, 食谱, 花园, 旅行, 存档, 关于我们, 联系",
        (
            Article(
                "老烤炉里的面包",
                "烤炉 酵母",
                (
                    "我们家后面的院子里有一座祖父六十年前用泥土砌成的烤炉。每个星期"
                    "六我们用桦木生火，等上三个小时，直到石头变白，然后用湿扫帚把炭"
                    "火扫出来。",
                    "酵母面团从前一天晚上起就放在大碗里，上面盖着布。我们做六个圆面"
                    "包，用长铲子送进炉里，再用木板把炉口封好。一个小时以后，整条街"
                    "都能闻到新鲜面包的香味。",
                ),
            ),
            Article(
                "给青蛙挖的池塘",
                "池塘 青蛙",
                (
                    "四月里我们在花园的尽头挖了一个池塘，长四米，中间最深的地方有一"
                    "米。我们在薄膜上铺了沙子和碎石，岸边种上了邻居送的芦苇和黄色的"
                    "鸢尾花。",
                    "第一个夏天就有青蛙坐在石头上，傍晚蜻蜓在水面上飞来飞去。我们故"
                    "意没有放鱼，因为鱼会吃掉蛙卵，没有蛙卵，第二年春天岸边就会一片"
                    "寂静。",
                ),
            ),
        ),
    ),
)
"""By the code of the language."""
