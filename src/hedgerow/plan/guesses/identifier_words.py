"""Words for what names a person outright, in the languages of `topics`."""

from __future__ import annotations

from hedgerow.plan.guesses.topics import Topic
from hedgerow.table.column_words import words

DIRECT = Topic(
    "direct",
    "it names a person",
    # English
    "ssn sin nin nino email mail mails phone mobile telephone tel fax mrn passport iban bic "
    "username login userid uuid guid surname forename firstname lastname fname lname fullname "
    "givenname nickname initials maiden address addr street streetname url ip ipaddress licence "
    "license plate numberplate vin signature photo twitter facebook instagram linkedin skype "
    "website homepage nhs medicare medicaidid ccn creditcard cardnumber "
    # German
    "nachname vorname familienname vollname geburtsname strasse hausnummer hausnr anschrift "
    "adresse telefon telefonnummer tel handy handynummer mobilnummer emailadresse kontonummer "
    "sozialversicherungsnummer svnr svnummer versichertennummer versichertennr kvnr "
    "steuernummer steuerid ausweisnummer personalausweis reisepass kennzeichen fuehrerschein "
    "mailadresse personalnummer matrikelnummer patientenname unterschrift "
    # French
    "prenom prenoms nomcomplet patronyme adresse rue courriel telephone portable passeport nir "
    "securitesociale immatriculation "
    # Spanish, Portuguese
    "apellido apellidos nombres direccion calle correo telefono movil pasaporte dni nie nif "
    "matricula sobrenome apelido endereco rua telefone celular telemovel passaporte cpf "
    # Italian
    "cognome indirizzo via telefono cellulare codicefiscale passaporto targa "
    # Dutch
    "achternaam voornaam voornamen roepnaam straat straatnaam huisnummer adres telefoon "
    "telefoonnummer mobiel bsn burgerservicenummer paspoort rekeningnummer kenteken "
    # Polish
    "nazwisko imie imiona ulica adres telefon komorka pesel dowod paszport "
    # Swedish, Norwegian, Danish, Icelandic, Finnish
    "fornamn efternamn mellannamn fornavn etternavn efternavn mellomnavn personnummer personnr "
    "fodselsnummer fodselsnr cpr cprnr cprnummer kennitala adress gatuadress mobilnummer epost "
    "sukunimi etunimi etunimet henkilotunnus hetu puhelin puhelinnumero osoite katuosoite "
    "sahkoposti "
    # Czech, Slovak, Hungarian, Romanian, Croatian, Serbian, Slovene
    "prijmeni priezvisko jmeno krestnijmeno rodnecislo bydliste vezeteknev keresztnev csaladnev "
    "utonev lakcim tajszam prenume cnp prezime priimek oib jmbg emso "
    # Turkish, Estonian, Latvian, Lithuanian, Indonesian
    "soyad soyadi soyisim adsoyad tckn tckimlik tcno eposta perekonnanimi eesnimi isikukood "
    "uzvards personaskods pavarde asmenskodas ktp nik alamat telepon "
    # Russian, Ukrainian, Bulgarian, Greek; as without accents
    "фамилия имя отчество фио телефон адрес паспорт снилс инн прізвище адреса егн "
    "επωνυμο ονομα ονοματεπωνυμο τηλεφωνο διευθυνση αφμ αμκα "
    # Japanese, Chinese, Arabic
    "氏名 姓名 名前 姓 電話番号 電話 住所 电话 手机 手机号 身份证 身份证号 地址 邮箱 "
    "الاسم الهاتف العنوان",
)
"""Words that name a person outright, whatever else the column is called."""

WEAK = Topic(
    "numbering",
    "it numbers or names something",
    "account accountno acct konto conto conta cuenta compte rekening id ids ident identifier "
    "key number no nr num nbr pid seqn seq code record rec case obs ref reference index idx "
    "serial token hash pseudonym nummer kennung kennnummer numero identifiant identificador "
    "codigo codice nazwa numer kod identyfikator *_id patid subjid ptid personid memberid "
    "caseid *patid *subjid *nummer *nummern *nro *numarasi *tunnus *cislo *szam",
)
"""Words that name a person unless another word says what is numbered or named."""

NAMES = Topic(
    "names",
    "it names something",
    "initial name names nom noms nombre nome naam nazwa namn navn nimi nev jmeno nume ime isim "
    "nama",
)
"""Words for names: of people, unless another word says of what."""
NAME_PARTS = words(
    "first last middle given family full maiden birth sur fore nick user patient person "
)
"""Words that say that a name is a person's."""

PEOPLE = Topic(
    "people",
    "it is called like people",
    "person persons patient patients pat pt subject subj participant respondent resp member "
    "customer client user employee worker student pupil individual insured enrollee beneficiary "
    "applicant woman women man mother mom mum father dad kid child baby infant twin inmate "
    "probennummer proband versicherter kunde mitglied patientin mitarbeiter schueler sujet "
    "assure eleve salarie paciente cliente alumno empleado paziente soggetto utente klant "
    "leerling werknemer patientnr aluno pacjent klient uczestnik potilas oppilas elev pasient "
    "hasta ogrenci musteri ugyfel beteg tanulo pacient zakaznik пациент клиент ученик студент "
    "患者 学生",
)
"""Words for those in a table: with values that differ from row to row, their numbers."""

OTHERS = Topic(
    "others",
    "it numbers something else than people",
    "payer payor provider doctor physician hospital clinic ward school class teacher village "
    "district county state region product item drug medication procedure diagnosis icd order "
    "invoice transaction visit encounter admission claim test study trial site center centre "
    "batch household family hh firm company employer department dept vehicle crash country city "
    "zip arzt krankenhaus klinik schule klasse bestellung rechnung firma haushalt medecin "
    "hopital ecole commande facture entreprise menage medico escuela pedido factura empresa "
    "hogar ospedale scuola ordine azienda ziekenhuis bedrijf huishouden lekarz szpital szkola",
)
"""Words for what else is numbered: such a column is no person key."""
