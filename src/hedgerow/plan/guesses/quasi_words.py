"""Words for what others may know about a person, in the languages of `topics`."""

from __future__ import annotations

from hedgerow.plan.guesses.topics import Topic

AGE = Topic(
    "age",
    "people who know somebody know the age",
    "age ages aged agegroup agegrp agegr agecat ageband agerange ageyears ageyrs ageyr "
    "agemonths ageof* agein* ageat* alter lebensalter altersgruppe altersklasse altersjahre "
    "edad edades grupoedad eta fasciaeta tranche leeftijd leeftijdsgroep leeftijdsklasse idade "
    "faixaetaria wiek",
    known=1,
)
BIRTH = Topic(
    "birth",
    "many people know a birthday",
    "birth birthdate birthday birthyear birthmonth born dob yob bday bdate bornon datebirth "
    "dateofbirth yearbirth yearborn geburt geburts* geb gebdat gebdatum gebjahr geboren "
    "naissance naiss datenaiss nacimiento nacim fechanac fecnac nascita datanascita nascimento "
    "nasc datanasc geboorte* urodz* dataur",
    known=1,
)
SEX = Topic(
    "sex",
    "people who know somebody know the sex",
    "sex sx gender sexcode sexe sexo sesso geslacht geschlecht plec male female males females "
    "ismale isfemale mann frau weiblich maennlich mannlich homme femme hombre mujer uomo donna "
    "vrouw genero genre homem mulher kobieta",
    known=1,
)
ETHNICITY = Topic(
    "ethnicity",
    "people who know somebody often know it, and it may be a reason to discriminate",
    "race raceeth racecat ethnic ethnicity ethn ethngrp ethgrp eth black white hispanic hispan "
    "hisp asian latino latina latinx afam afamerican african caucasian cauc nonwhite minority "
    "aboriginal indigenous skincolor skincolour herkunft hautfarbe ethnie ethnique origine raza "
    "etnia etnico etnicidad razza etniciteit afkomst huidskleur raca etnicidade rasa "
    "pochodzenie",
    known=1,
)
ORIGIN = Topic(
    "origin",
    "people who know somebody know it",
    "nationality citizenship citizen nation national nat native foreign foreigner foreignborn "
    "immigrant immigr migrant migration birthplace birthcountry bpl nationalitaet nationalitat "
    "staatsangehoerigkeit staatsangehorigkeit staatsburgerschaft geburtsort geburtsland "
    "auslaender auslander nationalite etranger nacionalidad extranjero cittadinanza nazionalita "
    "straniero nationaliteit herkomst nacionalidade estrangeiro obywatelstwo narodowosc",
    known=1,
)
CIVIL = Topic(
    "civil",
    "people who know somebody know it",
    "marital married maried marriage maritl maritalstatus maritalcat marstat marst marr marri* "
    "civil single divorced divorce* widow* separated spouse spous* husband wife cohabit* "
    "familienstand verheiratet ledig geschieden verwitwet ehepartner etatcivil matrimonial* "
    "marie celibataire conjoint conjugal* estadocivil casado casada soltero soltera conyuge "
    "statocivile coniug* sposato sposata celibe burgerlijke burgerlijkestaat gehuwd "
    "partnerstatus cywilny malzonek zonaty yearsmarr*",
    known=1,
)
FAMILY = Topic(
    "family",
    "people who know somebody know the family",
    "household hh hhsize hhold family families fam famsize familysize children child childs "
    "nchild nchildren kids kid numkids numchild* nkids dependents dependants dependent sibling* "
    "sibs brothers sisters *kid *kids parity parents parent father mother mom dad husband "
    "relationship relation birthorder haushalt* familie familiengroesse kinder kinderzahl "
    "anzahlkinder geschwister mutter vater eltern menage famille enfants nbenfants foyer hogar "
    "familia hijos hijas famiglia nucleo figli huishouden gezin kinderen agregado filhos "
    "rodzina dzieci gospodarstwo",
    known=1,
)
PLACE = Topic(
    "place",
    "people who know somebody know where they live",
    "zip zipcode zip3 zip5 postcode postal postalcode plz city town county cnty state province "
    "region regio district municipality village vill hamlet neighborhood neighbourhood precinct "
    "borough tract block parish commune community comm residence residency resid location "
    "locality area urban rural urbrur suburb* smsa msa cbsa metro metropol* south southern "
    "north northern northeast west western east eastern lat latitude lon long lng longitude geo "
    "geo* fips puma country land nation continent quarter ort wohnort stadt staat bundesland "
    "gemeinde kreis landkreis stadtteil gebiet ville codepostal departement pays quartier "
    "ciudad municipio provincia comunidad localidad codigopostal cp pais barrio citta comune "
    "regione cap paese quartiere stad gemeente provincie woonplaats wijk buurt cidade concelho "
    "distrito freguesia regiao estado miasto miejscowosc wojewodztwo gmina powiat pocztowy kraj "
    "dzielnica",
    known=1,
)
EDUCATION = Topic(
    "education",
    "people who know somebody often know it",
    "*educ* edu ed edcat edlevel school *school schooling schl schoolyears highschool hsgrad "
    "degree college coll university univ diploma qualification* qualif* graduate grad student "
    "phd discipline major faculty bildung* schulbildung schulabschluss abschluss ausbildung "
    "studium hochschule etudes diplome scolarite niveauetude* estudios niveleducativo "
    "titulacion escolaridad istruzione titolo studio scuola laurea opleiding opleidingsniveau "
    "onderwijs escolaridade habilitacoes wyksztalcenie szkola",
    known=1,
)
WORK = Topic(
    "work",
    "colleagues and others who know somebody know it",
    "occupation occ occup* occcode job jobs jobclass jobtitle profession prof employer employ* "
    "emp empstat empstatus emptype workclass classwkr industry indus sector trade manuf selfemp "
    "selfemployed selfe unemp* unempl* retired workstatus wrkstat work works worker working "
    "worked wrk labor labour laborforce lfp lfs inlf experience exper expr tenure seniority "
    "rank position department dept division hours hrs weeks wks workhours fulltime parttime "
    "prestige service clerical managerial beruf* taetigkeit arbeit* arbeitgeber branche "
    "stellung erwerb* metier emploi travail csp cadre chomage ocupacion profesion empleo "
    "trabajo puesto desempleo occupazione professione lavoro impiego disoccupa* beroep werk "
    "baan functie werkgever werkloos* profissao ocupacao emprego desemprego zawod praca "
    "stanowisko bezrobot* commut* blue bluecollar whitecollar",
    known=1,
)
LANGUAGE = Topic(
    "language",
    "whoever talks to somebody knows it",
    "language lang languages mothertongue sprache muttersprache langue idioma lengua lingua "
    "taal moedertaal jezyk",
    known=1,
)
BODY = Topic(
    "body",
    "anybody can see it",
    "height hgt ht heightcm stature weight wgt wt weightkg bodyweight bodymass bmi eyecolor "
    "eyecolour eyes hair haircolor handed handedness hand groesse grosse koerpergroesse gewicht "
    "koerpergewicht taille poids imc estatura talla peso altezza statura lengte lichaamslengte "
    "altura waga wzrost *weight *wt",
    known=2,
)
TIME = Topic(
    "time",
    "others may know when it was",
    "date dates datetime timestamp year years yr yrs yr* year* *year *yr month months mth day "
    "days week quarter season wave admitted admission admit discharged discharge visitdate "
    "entry datum *datum jahr *jahr monat tag zeitpunkt aufnahme* entlassung* annee mois jour "
    "entree sortie fecha* ano mes dia ingreso alta anno mese giorno ricovero jaar maand dag "
    "opname data rok miesiac dzien przyjecie wypis issue",
    known=2,
)
STANDING = Topic(
    "standing",
    "neighbours, colleagues or relatives may know it",
    "military mil veteran vet army housing house home homeowner homeownership ownership owner "
    "own owns rent renter tenant condo* dwelling car cars vehicle vehicles auto class pclass "
    "passengerclass socialclass sport sports team club hobby membership center centre site "
    "hospital clinic ward inst institution unit wohnung eigentum eigentuemer mieter klinik "
    "krankenhaus station voiture logement hopital locataire proprietaire vivienda propietario "
    "coche casa proprietario ospedale reparto woning eigenaar huurder ziekenhuis afdeling "
    "habitacao szpital oddzial mieszkanie",
    known=2,
)

QUASI_TOPICS = (
    AGE, BIRTH, SEX, ETHNICITY, ORIGIN, CIVIL, FAMILY, PLACE, EDUCATION, WORK, LANGUAGE, BODY, TIME,
    STANDING,
)  # fmt: skip
ALWAYS = frozenset({"age", "birth", "sex", "ethnicity"})
"""Topics that no sensitive word beside them changes: the age at diagnosis is an age."""
