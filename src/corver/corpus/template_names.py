"""Which templates of the English Wikipedia carry text, and where in the call it stands.

Data alone. Names are in lower case with plain spaces. Templates of other wikis, and those missing here, fall to the
general rule of `templates.py`.
"""

from __future__ import annotations

__all__ = ["DATES", "DROPPED", "DROPPED_ENDINGS", "DROPPED_STARTS", "FIXED", "JOINED", "NTH", "SHIPS", "UNITS"]


def _names(lines: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in lines.split(",") if name.strip())


DROPPED = _names("""
    #coordinates, #expr, #ifexist, #ifexpr, #invoke, #lst, #property, #related, #section, #section-h,
    #statements, #switch, #tag, #time, -, 2teambracket, about, about2, according to whom, advert, age, age in
    years and days, ahnentafel, allmovie title, allmusic, amg name, anchor, anchorencode, anchors, arxiv, asin,
    atp, attribution needed, authority control, automatic taxobox, automatic virus taxobox, bar box, bar
    percent, bartable, bbc programme, better source, better source needed, bibcode, birth based on age as of
    date, bots, br, broader, by whom, c-span, cat main, category see also, cbignore, charlierose view, chart,
    chart bottom, chart top, chembox, chemspider, cia world factbook, citation, citation needed, cite, clade,
    cladogram, clarify, cleanup, clear, clear left, clear right, climate chart, clr, cn, cnote, col div end,
    col-2, col-3, col-4, col-5, col-begin, col-break, col-end, colbegin, colend, commons, commons category,
    commons category-inline, commons-inline, commonscat, compact toc, confused, confusing, coor d, coor dm, coor
    dms, coord, coordinates, coords, copy edit, copyedit, correct title, cref, css image crop, curlie, current,
    currentdate, currentday, currentmonth, currenttime, currentyear, dab, dablink, dads, data, daviscup player,
    de icon, dead link, deadlink, decrease, decreasepositive, defaultsort, details, disambig, disambiguation,
    discogs artist, diseasesdb, displaytitle, disputed inline, disputed-inline, distinguish, distinguish2, div
    col, div col end, dmoz, dnb portal, doi, drugbox, dubious, dynamic list, eb1911 poster, efn, efn-lr, efn-ua,
    elucidate, emedicine, emedicine2, empty section, en icon, end, engvarb, eol, es icon, expand language,
    expand section, external media, external music video, facebook, fact, facts, failed verification, family
    tree, familytree, familytree/end, familytree/start, featured article, featured list, filepath, find a grave,
    flag icon, flagdeco, flagicon, flagicon image, flagu icon, fn, fnb, football kit, for, for multi, for2,
    fossil range, fr icon, full, full citation needed, fullurl, further, further information, gain, gbif,
    geobox, geodis, given name, globalize, good article, goodreads author, google books, govpubs, gr icon,
    graph:chart, guardian topic, gutenberg, gutenberg author, hansard-contribs, harv, harvcol, harvcolnb,
    harvid, harvnb, harvp, harvs, harvtxt, hatnote, hdl, hidden sort key, historical populations, hndis,
    horizontal toc, hs, ibdb name, iblist name, icd10, icd9, imdb episode, imdb event, imdb name, imdb title, in
    lang, in our time, in use, incomplete list, increase, increasenegative, inflation-fn, inflation-year,
    inflation/fn, inpho, instagram, int, internet archive, internet archive author, intitle, iobdb name, ipa,
    ipac, isbn, isfdb name, isni, issn, it icon, italic title, italictitle, itf profile, itis, jstor, lccn, lead
    too long, lead too short, library resources box, librivox, librivox author, linkedin, listen, localurl,
    location map, location map+, location map~, long fossil range, lookfrom, loss, lowercase, lowercase title,
    mactutor, main, main article, main category, maplink, mathgenealogy, mathworld, medical citation needed,
    medlineplus, merge, merge from, merge to, mesh id, metacritic film, mojo title, more citations needed, more
    footnotes, multicol, multicol-break, multicol-end, multiple issues, musicbrainz artist, myspace, namespace,
    navbox, navbox musical artist, navboxes, nla, no footnotes, no more links, nobots, noitalic title,
    nomorelinks, non-primary source needed, not in source, not to be confused with, notability, note, note
    label, notelist, notelist-ua, notes, npov, ns, ntsh, nyttopic, oclc, official, official url, official
    website, ol, omim, one source, or, orcid, original research, original research inline, orphan, osm
    relation-inline, other people, other places, other uses, other uses2, otheruses, otheruses4, overly
    detailed, page needed, page number needed, pagelist, peacock inline, persondata, philpapers, playbill
    person, pmc, pmid, pn, pop density, portal, portal bar, portal-inline, pov, pov statement, primary source
    inline, primary sources, profit, pron-en, pronunciation respelling key, pt icon, quantify, r, recentism,
    redirect, redirect-distinguish, redirect-multi, redirect2, ref, ref label, refbegin, refend, references,
    refimprove, refimprove section, reflist, refn, registration, relevance inline, rellink, respell, revisionid,
    rotten tomatoes, rp, ru icon, s-aft, s-bef, s-break, s-end, s-hou, s-inc, s-new, s-non, s-off, s-par, s-ppo,
    s-ref, s-reg, s-start, s-ttl, s-vac, s2cid, scholia, see, see also, self-published inline, selfref, set
    index article, sfdb, sfn, sfnm, sfnp, sfnref, short description, shortcut, sidebar, sister project, sister
    project links, sisterlinks, sitename, snac, soundcloud, speciesbox, specify, split, spoken article, spoken
    wikipedia, standard ebooks, statedept, steady, subject bar, subpagename, subscription, subscription
    required, subspeciesbox, succession box, superimpose, surname, synthesis inline, talkpagename, taxobox,
    taxonbar, tcmdb name, tcmdb title, technical, tennishof, tfd, tfdend, title language, toc, toc left, toc
    limit, toc right, tocleft, toclimit, tocright, tone, twitter, under construction, unreferenced, unreferenced
    section, unreliable source?, update, update after, update inline, url, urlencode, us census population, use
    dmy dates, use mdy dates, vague, verification needed, verify source, very long, viaf, wayback, weasel
    inline, weather box, webarchive, when, where, which, who, whom, why, wikiatlas, wikibooks, wikidata,
    wikinews, wikipedia books, wikiquote, wikisource, wikisource author, wikisource-inline, wikispecies,
    wikiversity, wikivoyage, wiktionary, worldcat id, wta, youtube
""")
"""References, notices, navigation, boxes, pictures, pronunciation: nothing of the text of an article."""

DROPPED_STARTS = (
    "cite ", "cite-", "vcite ", "citation ", "citation-", "infobox", "taxobox", "navbox", "sidebar",
    "ipa-", "ipac-", "use ", "pp-", "wikiproject", "wikisource", "commons", "r from", "r to",
    "location map", "expand ", "cleanup", "unreferenced", "campaignbox", "sister project", "user ",
    "uw-", "reflist", "refbegin", "attached kml", "portal", "family tree", "chart/", "tree chart",
    "geographic location", "adjacent", "graph:", "#invoke", "#tag", "harv", "main ", "s-", "db-", "afd",
    "proposed deletion", "in title", "look from", "wikidata", "ship infobox", "external links", "self-published",
    "unreliable", "osm", "jct", "rail color",
)  # fmt: skip

DROPPED_ENDINGS = (
    " stub",
    "-stub",
    " sidebar",
    " navbox",
    " topics",
    " in topic",
    " icon",
    "-inline",
    " author",
    " link",
)

NTH: dict[str, int] = {
    **dict.fromkeys(
        _names("""
            abbr, abbrlink, angbr, angbr ipa, angle bracket, angle brackets, bdi, big, bigmath, center,
            centre, code, columns-list, del, fb, fbu, flag, flag+link, flagathlete, flagcountry, flagioc,
            flagioc2, flagiocathlete, flaglist, flagmedalist, flagteam, flagu, flatlist, gloss, highlight,
            ill, illm, ins, interlanguage link, interlanguage link multi, kbd, key press, keypress, left,
            link-interwiki, linktext, lit, lit., longitem, math, metro, mono, mvar, n/a, nastaliq, nft,
            nihongo core, nihongo2, no, nobold, nobr, noitalic, not a typo, nowrap, nq, nts, number table
            sorting, old style date, overline, plain list, plainlist, proper name, railgauge, right, s,
            samp, sc, sc2, script/hebrew, script/nastaliq, sic, small, smallcaps, smaller, station, stn,
            strikethrough, sub, sup, tba, tbd, tooltip, tq, tqi, track gauge, u, underline, unknown,
            vanchor, var, visible anchor, visible anchors, wikt, yes
        """),
        0,
    ),
    **dict.fromkeys(
        _names("""
            audio, color, colour, font, font color, hidden, lang, langx, legend, legend inline, legend-line,
            legend0, native name, rtl-lang, script, sort
        """),
        1,
    ),
    **dict.fromkeys(
        _names("""
            font size, resize, transl, translit, transliteration, xlit
        """),
        -1,
    ),
}  # fmt: skip
"""Templates whose text is one of their unnamed arguments, counted from 0; −1 is the last."""

JOINED: dict[str, str] = {
    **dict.fromkeys(_names("comma separated entries, cslist, flowlist, hlist"), ", "),
    **dict.fromkeys(
        _names("""
            br separated entries, bulleted list, collapsed list, collapsible list, columns, indented
            plainlist, ordered list, ubl, ublist, unbulleted list, vunblist
        """),
        "\n",
    ),
    **dict.fromkeys(
        _names("""
            ce, chem, chem2, eqm, gaps, nuclide, nuclide2, simplenuclide, simplenuclide2
        """),
        "",
    ),
    **dict.fromkeys(_names("frac, fraction, sfrac"), "/"),
    **dict.fromkeys(_names("pow"), "^"),
}  # fmt: skip
"""Templates all of whose unnamed arguments are text, and what stands between them."""

DATES = _names("""
    as of, asof, birth date, birth date and age, birth date and age2, birth month and age, birth year, birth
    year and age, birth-date, birth-date and age, date, date table sorting, death date, death date and age,
    death year and age, death-date, death-date and age, dts, end date, end date and age, end-date, episode
    date, film date, launch date, release date, sort date, start and end date, start date, start date and
    age, start date and years ago, start-date
""")
"""Templates that hold year, month and day as numbers."""

SHIPS = _names("""
    ara, bap, css, hdms, hmas, hmcs, hmhs, hmnzs, hms, hmsas, hmt, hnlms, hnoms, hswms, ins, jds, js, ms,
    mt, mv, my, pns, ps, rfa, rms, roks, sms, ss, sy, ts, tss, usat, usav, uscgc, usns, uso, usrc, uss
""")
"""Ship prefixes: {{USS|Enterprise|CV-6}} is shown as USS Enterprise (CV-6)."""

FIXED: dict[str, str] = {
    "snd": " – ", "spnd": " – ", "snds": " – ", "spaced ndash": " – ", "spaced en dash": " – ",
    "ndash": "–", "en dash": "–", "endash": "–", "mdash": "—", "em dash": "—", "mdashb": "—",
    "spaced mdash": " — ", "spaced em dash": " — ", "dash": " – ", "nbsp": " ", "sp": " ", "space": " ",
    "spaces": " ", "thinsp": " ", "hair space": " ", "pad": " ", "gap": " ", "zwsp": " ", "wbr": "",
    "zwj": "\u200d", "zwnj": "\u200c", "shy": "", "·": " · ", "•": " • ", "dot": " · ", "middot": " · ",
    "bull": " • ", "bullet": " • ", "sep": " · ", "'": "'", "'s": "'s", "\"'": "\"'", "'\"": "'\"",
    "' \"": "'\"", "\" '": "\"'", "apostrophe": "'", "=": "=", "!": "", "!!": "", "(": "", ")": "",
    "((": "", "))": "", "(!": "", "!)": "", "!-": "", "pipe": " ", "pi": "π", "okina": "ʻ",
    "okina2": "ʻ", "hamza": "ʾ", "ayin": "ʿ", "ayn": "ʿ", "c.": "c. ", "ca.": "c. ", "circa": "c. ",
    "fl.": "fl. ", "b.": "b. ", "d.": "d. ", "aka": "a.k.a. ", "ad": "AD ", "bc": " BC", "bce": " BCE",
    "dagger": "†", "double-dagger": "‡", "extinct": "†", "ditto": "", "sharp": "♯", "flat": "♭",
    "natural": "♮", "usa": "United States", "gbr": "United Kingdom", "fra": "France", "ger": "Germany",
    "deu": "Germany", "ita": "Italy", "esp": "Spain", "can": "Canada", "aus": "Australia",
    "jpn": "Japan", "chn": "China", "rus": "Russia", "ind": "India", "bra": "Brazil",
    "arg": "Argentina", "mex": "Mexico", "uk": "United Kingdom",
}  # fmt: skip
"""Calls without arguments that stand for a sign or a name."""

UNITS: dict[str, str] = {
    "c": "°C", "f": "°F", "sqkm": "km2", "sqmi": "sq mi", "sqft": "sq ft", "sqm": "m2", "sqyd": "sq yd",
    "kmh": "km/h", "kph": "km/h", "cuft": "cu ft", "cumi": "cu mi", "cukm": "km3", "cum": "m3",
    "cuin": "cu in", "ftin": "ft in", "usgal": "US gal", "impgal": "imp gal", "lt": "long tons",
    "st": "short tons", "t": "tonnes", "lbf": "lbf", "nmi": "nmi", "ly": "light-years", "micron": "μm",
    "um": "μm", "e6m3": "million m3", "e6sqmi": "million sq mi", "e3usgal": "thousand US gal",
    "pc": "parsecs",
}  # fmt: skip
"""Unit codes of {{convert}} that are not written as the unit is shown; all others stand as they are."""
