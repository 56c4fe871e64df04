"""What names of elements, class and id tokens and ARIA roles say, as bits of small vocabularies."""

# Names of elements that are features of their own; all other names are one feature.
TAGS = (
    "body p div span td th tr table ul ol li dl dt dd h1 h2 h3 h4 h5 h6 section article main nav "
    "header footer aside form fieldset label button pre blockquote figure figcaption center "
    "details summary address code time br"
).split()

# Kinds of elements around a block, at any depth -> names of elements.
ENCLOSING = {
    "nav": "nav",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "main": "main",
    "article": "article",
    "section": "section",
    "p": "p",
    "li": "li",
    "table": "table",
    "form": "form",
    "button": "button",
    "figure": "figure figcaption",
    "quotation": "blockquote",
    "pre": "pre code",
    "definition": "dl",
    "heading": "h1 h2 h3 h4 h5 h6",
    "dialog": "dialog",
    "details": "details summary",
    "label": "label",
    "search": "search",
    "tab": "",
    "hidden": "",
}

_ROLES = {
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "menuitem": "nav",
    "banner": "header",
    "contentinfo": "footer",
    "complementary": "aside",
    "main": "main",
    "article": "article",
    "button": "button",
    "dialog": "dialog",
    "alertdialog": "dialog",
    "search": "search",
    "tab": "tab",
    "tablist": "tab",
    "tabpanel": "tab",
}

# Groups of class and id tokens -> their words.
MARKS = {
    "navigation": "nav navbar navigation navi topnav subnav",
    "menu": "menu menus submenu dropdown hamburger megamenu",
    "footer": "foot footer bottom colophon",
    "header": "head header masthead topbar top logo",
    "side": "side sidebar aside rail left right complementary",
    "comment": "comment comments disqus respond reply replies discussion discuss",
    "related": "related recommend recommended recommendation similar more suggest suggested "
    "trending popular latest recent recirc also",
    "share": "share sharing social follow facebook twitter addthis email print tools",
    "consent": "cookie cookies consent gdpr onetrust privacy ccpa legal copyright terms",
    "modal": "modal popup overlay lightbox dialog tooltip toast offcanvas drawer",
    "promotion": "promo promotion ad ads advert advertisement advertising sponsor sponsored banner "
    "cta newsletter subscribe subscription signup optin",
    "crumbs": "breadcrumb breadcrumbs crumb crumbs",
    "content": "content contents body text copy richtext rte prose markdown wysiwyg",
    "article": "article post entry story blog single hentry news",
    "main": "main primary page center",
    "meta": "meta byline author date time timestamp info published bio credit posted source",
    "title": "title headline heading subtitle hed subhead",
    "tags": "tag tags category categories topic topics cat label labels keywords",
    "pager": "pagination pager pages paging paginate prev previous next",
    "product": "product products price sku description desc detail details spec specs "
    "specification specifications feature features",
    "review": "review reviews rating ratings testimonial testimonials qa stars",
    "item": "item items card cards tile teaser grid result results listing collection list row "
    "col column",
    "control": "search login signin account cart form filter filters facet sort toolbar user "
    "profile button btn input",
    "hidden": "hidden hide sr screen visually collapse collapsed invisible skip",
    "container": "widget block module component section container wrapper plugin box",
    "forum": "message messages thread answer answers question questions signature quote votes "
    "vote postbody forum",
    "figure": "caption figure image img gallery photo photos media video player slider carousel "
    "swiper slide",
    "contents": "toc outline index anchor docs doc documentation",
    "faq": "faq faqs accordion",
    "hero": "hero jumbotron intro lead lede excerpt summary",
}

_ENCLOSING_BITS = {kind: 1 << place for place, kind in enumerate(ENCLOSING)}
NAME_BITS = {
    name: _ENCLOSING_BITS[kind]
    for kind, names in ENCLOSING.items()
    for name in names.split()
}
WORD_BITS = {
    word: 1 << place
    for place, words in enumerate(MARKS.values())
    for word in words.split()
}
ROLE_BITS = {role: _ENCLOSING_BITS[kind] for role, kind in _ROLES.items()}
