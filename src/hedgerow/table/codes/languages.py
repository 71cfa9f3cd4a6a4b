"""Languages: the two-letter codes of ISO 639, their branch and family."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem, key

_FAMILIES = {
    "Indo-European": {
        "Germanic": "af afr Afrikaans|da dan Danish|de deu ger German Deutsch|en eng English|"
        "fo fao Faroese|fy fry Frisian|is isl ice Icelandic|lb ltz Luxembourgish|"
        "nl nld dut Dutch Flemish|nb nob Bokmål|nn nno Nynorsk|no nor Norwegian|sv swe Swedish|"
        "yi yid Yiddish",
        "Romance": "an arg Aragonese|ca cat Catalan|es spa Spanish Castilian|fr fra fre French|"
        "gl glg Galician|it ita Italian|la lat Latin|oc oci Occitan|pt por Portuguese|"
        "rm roh Romansh|ro ron rum Romanian|sc srd Sardinian",
        "Slavic": "be bel Belarusian|bg bul Bulgarian|bs bos Bosnian|cs ces cze Czech|"
        "hr hrv Croatian|mk mkd mac Macedonian|pl pol Polish|ru rus Russian|sk slk slo Slovak|"
        "sl slv Slovenian|sr srp Serbian|uk ukr Ukrainian",
        "Baltic": "lt lit Lithuanian|lv lav Latvian",
        "Celtic": "br bre Breton|cy cym wel Welsh|ga gle Irish|gd gla Gaelic|gv glv Manx|"
        "kw cor Cornish",
        "Indo-Iranian": "as asm Assamese|bn ben Bengali|fa fas per Persian Farsi|gu guj Gujarati|"
        "hi hin Hindi|ks kas Kashmiri|ku kur Kurdish|mr mar Marathi|ne nep Nepali|"
        "or ori Odia Oriya|os oss Ossetian|pa pan Punjabi Panjabi|ps pus Pashto|sa san Sanskrit|"
        "sd snd Sindhi|si sin Sinhala|tg tgk Tajik|ur urd Urdu|dv div Dhivehi",
        "Greek": "el ell gre Greek",
        "Albanian": "sq sqi alb Albanian",
        "Armenian": "hy hye arm Armenian",
    },
    "Uralic": {
        "Finnic": "et est Estonian|fi fin Finnish",
        "Hungarian": "hu hun Hungarian",
        "Sami": "se sme Sami",
    },
    "Turkic": {
        "Oghuz": "az aze Azerbaijani|tk tuk Turkmen|tr tur Turkish",
        "Kipchak": "ba bak Bashkir|kk kaz Kazakh|ky kir Kyrgyz|tt tat Tatar",
        "Karluk": "ug uig Uyghur|uz uzb Uzbek",
    },
    "Afro-Asiatic": {
        "Semitic": "am amh Amharic|ar ara Arabic|he heb Hebrew|mt mlt Maltese|ti tir Tigrinya",
        "Cushitic": "om orm Oromo|so som Somali|aa aar Afar",
        "Chadic": "ha hau Hausa",
    },
    "Niger-Congo": {
        "Bantu": "kg kon Kongo|rw kin Kinyarwanda|lg lug Ganda|ln lin Lingala|ny nya Chichewa|"
        "rn run Kirundi|sn sna Shona|ss ssw Swati|st sot Sotho|sw swa Swahili|tn tsn Tswana|"
        "ts tso Tsonga|ve ven Venda|xh xho Xhosa|zu zul Zulu",
        "West African": "ak aka Akan|bm bam Bambara|ee ewe Ewe|ff ful Fulah|ig ibo Igbo|"
        "tw twi Twi|wo wol Wolof|yo yor Yoruba|sg sag Sango",
    },
    "Sino-Tibetan": {
        "Chinese": "zh zho chi Chinese Mandarin|yue Cantonese",
        "Tibeto-Burman": "bo bod tib Tibetan|dz dzo Dzongkha|my mya bur Burmese",
    },
    "Dravidian": {
        "South Dravidian": "kn kan Kannada|ml mal Malayalam|ta tam Tamil",
        "South-Central Dravidian": "te tel Telugu",
    },
    "Austronesian": {
        "Malayo-Polynesian": "fil Filipino|id ind Indonesian|jv jav Javanese|mg mlg Malagasy|"
        "mi mri mao Maori|ms msa may Malay|sm smo Samoan|su sun Sundanese|tl tgl Tagalog|"
        "to ton Tongan|fj fij Fijian|haw Hawaiian",
    },
    "Kra-Dai": {"Tai": "lo lao Lao|th tha Thai"},
    "Austroasiatic": {"Vietic": "vi vie Vietnamese", "Khmer": "km khm Khmer Cambodian"},
    "Japonic": {"Japanese": "ja jpn Japanese"},
    "Koreanic": {"Korean": "ko kor Korean"},
    "Mongolic": {"Mongolian": "mn mon Mongolian"},
    "Kartvelian": {"Georgian": "ka kat geo Georgian"},
    "Basque (isolate)": {"Basque": "eu eus baq Basque"},
    "Quechuan": {"Quechua": "qu que Quechua"},
    "Tupian": {"Guarani": "gn grn Guarani"},
    "Aymaran": {"Aymara": "ay aym Aymara"},
    "Eskaleut": {"Inuit": "iu iku Inuktitut|kl kal Greenlandic"},
}
"""Family, branch, and the codes and names of each language; written for Hedgerow."""


@cache
def _languages() -> tuple[Mapping[str, str], Mapping[str, tuple[str, ...]]]:
    codes: dict[str, str] = {}
    above: dict[str, tuple[str, ...]] = {}
    for family, branches in _FAMILIES.items():
        for branch, languages in branches.items():
            for names in languages.split("|"):
                first = names.split()[0]
                above[first] = (f"{branch} languages", f"{family} languages")
                codes |= dict.fromkeys(map(key, names.split()), first)
    return codes, above


CODE_SYSTEMS.register(
    CodeSystem(
        name="languages",
        title="languages: ISO 639 codes and English names of about 140",
        edition="2026",
        source="written for Hedgerow",
        licence="none needed",
        levels=("branch", "family"),
        read=lambda text: _languages()[0].get(key(text.split("-")[0].split("_")[0])),
        above=lambda code: _languages()[1][code],
        owns=lambda text: text.endswith(" languages"),
        words=frozenset({"language", "lang", "sprache", "langue", "idioma", "locale"}),
        examples=("de", "deu", "German", "pt-BR", "Farsi", "yue"),
        weak=lambda text: len(text.strip()) < 4,
    )
)
