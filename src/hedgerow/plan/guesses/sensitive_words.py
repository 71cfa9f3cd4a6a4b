"""Words for what nobody may learn of a person, in the languages of `topics`."""

from __future__ import annotations

from hedgerow.plan.guesses.topics import Topic

HEALTH = Topic(
    "health",
    "it is about health",
    "health healthy hlth hlthstat *hlth diag diagnos* dx disease diseases illness ill sick* "
    "condition conditions icd icd* comorbid* hiv aids std sti covid cancer tumor tumour tumors "
    "carcino* melanoma leuk* lymph* malign* metast* nodes diab* asthma* bronch* copd tb "
    "tubercul* hepat* cirrho* stroke angina cardi* heart* infarct* hypert* highbp hbp hbp* "
    "arthrit* epilep* seizure* alzheimer* dement* parkinson* anemi* anaemi* allerg* hayfever "
    "ulcer* pepticulcer colitis polio fracture* injur* injsev* injseverity severity wound* "
    "burn* pain *pain headache* migrain* cough* chroniccough fever rash itch nausea dysuria "
    "lesion abscess symptom* complic* adverse* toxicity depress* anxi* bdi cesd phq gad ptsd "
    "psych* mental nervous* nerves suicid* disab* handicap* impair* limitation* limited "
    "pregnan* preg npreg miscarr* abort* contracep* birthcontrol ivf fertil* steroid* surg* "
    "operat* transpl* implant* death dead died dth deathdate dead* mortal* surviv* survtime "
    "alive deceased lived stillb* relapse recur* remission prognos* stage staging infect* infct "
    "*infct inflam* sepsis therap* chemo* radiat* radiother* radiolog* treat treated treatment "
    "treatments trt rx arm medic medicat* medicine* drug drugs drugname meds dose dosage "
    "prescri* vaccin* immun* immunis* immuniz* resist* hosp hospital* hospitali* chronic "
    "outcome *outcome result* positive tested adherence emergency inpatient outpatient icu ecog "
    "karno* improved "
    # German
    "gesund* krank* erkrank* diagnose* befund* behandl* medikament* therapie op operation tod "
    "gestorben verstorben todes* schwanger* behinder* schmerz* symptom* impf* hauptdiagnose "
    "nebendiagnose "
    # French, Spanish, Italian, Dutch, Portuguese, Polish
    "sante maladie* diagnostic* traitement* medicament* deces decede mort grossesse douleur* "
    "handicap salud enfermedad* diagnostico tratamiento* medicamento* muerte fallec* embarazo "
    "dolor discapacidad salute malattia malattie diagnosi trattament* farmac* morte decesso "
    "gravidanza dolore gezondheid ziekte* diagnose behandel* medicijn* overl* zwanger* pijn "
    "saude doenca* tratament* obito gravidez dor deficiencia zdrowie chorob* diagnoz* lecz* "
    "leki zgon ciaza bol niepelnosprawn*",
    rank=1,
)
MEASURED = Topic(
    "measured",
    "it is a measured value, which few people know",
    "lab labs labvalue* laborwert* glu* glyc* bp sbp dbp sysbp diabp systol* diastol* pulse hr "
    "heartrate hemo* haemo* hgb hb hba a1c creat* albumin albu* bili* chol* hichol cholest* "
    "trig* hdl ldl alt ast sgot sgpt alk alkphos* platelet* plt wbc wcc rbc rcc ferr* sodium "
    "potassium calcium urea bun uric psa tsh crp esr ekg ecg kappa lambda protime protein* "
    "copper insulin skinfold skin triceps viral cd4 cd thick* bodyfat *bfat lbm ssf hormone* "
    "estrogen* progest* gleason temp temperature baseline* score apgar blood blut* sang* sangre "
    "sangue bloed* krew* cholesterin* puls",
    rank=3,
)
SURVEY_WEIGHT = Topic(
    "survey weight",
    "people do not know it, estimates need it as it is, and it may tell region or stratum to "
    "whoever knows how the sample was drawn",
    "",
    rank=9,
)
"""Found by `table.profile.survey_weights`, which looks at the numbers, too."""
MONEY = Topic(
    "money",
    "it is about money",
    "income* inc *inc *income* salary salar* wage wages *wage *wages wage* earn earns earn* "
    "earning* pay pays paid payment* *pay bonus revenue rent rents loan loans debt debts "
    "credit* limit balance mortg* saving* wealth asset* networth worth tax taxes taxable lien* "
    "benefit benefits welfare foodstamp* pension* allowance expend* expens* spend* spent "
    "spending consum* cost costs charges default defaults bankrupt* foreclos* delinq* overdr* "
    "deposit* installment* interest* poverty poor gross net finan* turnover capital capitalgain "
    "capitalloss gain loss dividend* deny denied insurance insured ins insur* payor payer "
    # German
    "*einkommen* einkommen* gehalt* lohn* *lohn verdienst schulden kredit* vermoegen vermogen "
    "rente* steuer* miete* umsatz sozialhilfe hartz arbeitslosengeld kosten versicherung "
    # French, Spanish, Italian, Dutch, Portuguese, Polish
    "revenu* salaire* dette* impot* loyer epargne patrimoine retraite ingreso ingresos salario* "
    "sueldo* renta deuda* impuesto* pension ahorro* reddito redditi stipendi* debito debiti "
    "imposta pensione affitto risparmi* inkomen* salaris* loon* schuld* belasting* uitkering "
    "pensioen huur rendiment* renda divida* imposto* aluguel poupanca dochod* zarob* pensja "
    "wynagrodz* dlug* podat* emerytura czynsz",
    rank=2,
)
BEHAVIOUR = Topic(
    "behaviour",
    "it is about habits that people keep to themselves",
    "smok* cigar* cig cigs tobacco tabac* tabag* alcohol* drink* drunk* binge* beer wine liquor "
    "substance* anysub* cocaine heroin cannabis marij* opioid* opiat* needle* gambl* betting "
    "affair affairs infidel* condom* sexual* npartner* partner partners exercis* physically "
    "active diet* sleep* porn* seatbelt belted helmet texting risk *risk tv rauch* raucher "
    "alkohol* trink* gluecksspiel drogen* sucht* fumeur fume* fum* alcool* boisson* drogue* "
    "jeux fumador bebida* drogas juego alcol* fumat* droga gioco roken rook* drank* gokken "
    "drugs tabagismo alcoolismo jogo palenie papieros* narkot* hazard homeless* obdachlos* "
    "personality",
    rank=3,
)
RELIGION = Topic(
    "religion",
    "it is about religion",
    "relig* religion church attendance denomin* faith belief beliefs catholic protestant prot "
    "muslim islam* jewish jew christian hindu* buddh* pray* konfession* kirche* glaube* eglise "
    "culte iglesia chiesa fede kerk* geloof* igreja wyznanie kosciol*",
    rank=1,
)
SEXUALITY = Topic(
    "sexuality",
    "it is about sexuality",
    "orientation lgbt* gay lesbian homosex* bisex* transgender trans sexualit* sexualorient* "
    "orientacion orientamento geaardheid orientacao",
    rank=1,
)
POLITICS = Topic(
    "politics",
    "it is about opinions",
    "vote* voting voter party partyid pid3 partei* partito partido partij partia democrat* "
    "republican* ideolog* politic* polit* conserv* liberal leftright lrscale opinion* attitude* "
    "approv* trust election* elect wahl* waehl* stimme gewaehlt politique parti elect* scelta "
    "voto verkiezing* stem stemgedrag eleic* wybor* poglad* satisf* agree* zufrieden* meinung* "
    "rating econ",
    rank=2,
)
CRIME = Topic(
    "crime",
    "it is about crime and punishment",
    "crime* crim criminal* offen* arrest* arr *arr convict* conv prison* jail* inmate sentence* "
    "felon* felony misdemean* parole probation police recid* prior priors victim* violat* "
    "violen* citation* search* released checks rules charged theft robbery assault guilty fraud "
    "straf* verbrech* delikt* verurteil* vorstraf* haft* delit* condamn* infraction* delito* "
    "condena* prision reato reati condanna* carcere misdaad* veroordel* gevangen* crimes prisao "
    "przestep* wyrok* wiezien*",
    rank=1,
)
UNION = Topic(
    "union",
    "it is about membership of a union",
    "union unions unionised unionized gewerkschaft* syndic* sindic* sindac* vakbond* zwiazek "
    "zwiazki",
    rank=2,
)
SCORES = Topic(
    "scores",
    "it is about how somebody was judged",
    "score scores *score test tests exam exams grade grades gpa sat act satv satm satq gre gmat "
    "lsat mcat toefl iq iqscore math* maths read write science history spelling vocab* verbal "
    "reading writing mark marks points performance evaluation appraisal literacy rating ratings "
    "zensur* pruefung* punkte ergebnis* noten examen examens notas calificacion* nota puntaje "
    "puntuacion punteggio cijfer* toets* ocena oceny wynik* complaint* dismissed warning*",
    rank=3,
)
WEAK = Topic(
    "status",
    "it says what became of somebody",
    "status event outcome case cases control group type category response resp phase condition "
    "result",
    rank=3,
)

SENSITIVE_TOPICS = (
    HEALTH, RELIGION, SEXUALITY, CRIME, POLITICS, UNION, MONEY, BEHAVIOUR, SCORES, MEASURED,
)  # fmt: skip
