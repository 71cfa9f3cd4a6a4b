"""Common given names in many languages, by which a column of names of people is recognised.

Written down from common knowledge; no list of a register was copied. It need not be complete: in
a column of names, a good part of them is here.
"""

from __future__ import annotations

from hedgerow.table.column_words import words

GIVEN_NAMES = words(
    # English
    "james john robert michael william david richard joseph thomas charles christopher daniel "
    "matthew anthony mark donald steven paul andrew joshua kenneth kevin brian george edward "
    "ronald timothy jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin "
    "scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry "
    "tyler aaron jose adam henry nathan douglas zachary peter kyle walter ethan jeremy harold "
    "keith christian roger noah gerald carl terry sean austin arthur lawrence jesse dylan bryan "
    "joe jordan billy bruce albert willie gabriel logan alan juan wayne roy ralph randy eugene "
    "vincent russell louis philip bobby johnny bradley harry oliver liam owen lucas mason elijah "
    "simon graham nigel ian colin stuart neil trevor derek clive fred ernest herbert alfred "
    "mary patricia jennifer linda elizabeth barbara susan jessica sarah karen nancy lisa betty "
    "margaret sandra ashley kimberly emily donna michelle carol amanda dorothy melissa deborah "
    "stephanie rebecca sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma "
    "nicole helen samantha katherine christine debra rachel carolyn janet catherine maria heather "
    "diane ruth julie olivia joyce virginia victoria kelly lauren christina joan evelyn judith "
    "megan andrea cheryl hannah jacqueline martha gloria teresa ann sara madison frances kathryn "
    "janice jean abigail alice julia judy sophia grace denise amber doris marilyn danielle beverly "
    "isabella theresa diana natalie brittany charlotte marie kayla alexis lori florence edith "
    "agnes ethel ellen annie elsie ivy rose lucy fiona gillian hazel zoe chloe mia ava amelia ella "
    "lily evie isla jane anne kate claire louise tom tim ben sam max will bob jim mike nick bill "
    # German, Dutch, Scandinavian
    "hans klaus jürgen juergen günter guenter wolfgang dieter horst manfred uwe heinz werner karl "
    "stefan andreas matthias martin bernd frank rainer helmut gerhard walter friedrich heinrich "
    "otto johannes jens kai lars sven torsten thorsten tobias florian felix jonas leon lukas finn "
    "moritz philipp sebastian markus ralf jörg joerg ulrich ingo holger detlef norbert rolf kurt "
    "ursula monika petra sabine renate karin brigitte ingrid gisela heike susanne birgit gabriele "
    "claudia katharina christa erika helga elke martina jutta anja silke katrin kathrin tanja "
    "anke ute bettina lena lea leonie johanna clara frieda greta heidi hannelore irmgard gertrud "
    "hildegard elfriede jan piet kees wim henk bram daan sem jeroen sander ruud willem dirk anneke "
    "ingeborg sanne fleur femke marieke erik nils anders bjorn björn gunnar olof per ole knut "
    "magnus mats leif astrid sigrid ingrid kirsten birgitta karin eva elin maja ebba freja søren "
    "jukka timo matti mikko antti juhani tuula ritva päivi kari liisa anneli "
    # French, Spanish, Italian, Portuguese
    "jean pierre michel philippe alain jacques bernard françois francois christophe nicolas "
    "laurent frédéric frederic julien olivier pascal thierry éric didier sylvie nathalie isabelle "
    "martine véronique veronique céline celine sandrine valérie valerie monique françoise "
    "francoise chantal brigitte camille manon léa chloé inès antoine guillaume maxime hugo théo "
    "théodore étienne luc yves carlos antonio manuel francisco javier miguel rafael jesús jesus "
    "josé alejandro fernando luis sergio pablo jorge alberto álvaro diego adrián raúl iván rubén "
    "enrique ramón vicente andrés carmen josefa isabel dolores pilar teresa ana lucía cristina "
    "marta elena rosario paula raquel mercedes beatriz silvia nuria rocío inés alba giuseppe "
    "giovanni mario luigi angelo vincenzo salvatore domenico francesco marco alessandro andrea "
    "stefano luca matteo lorenzo roberto paolo giorgio giulia francesca chiara valentina alessia "
    "martina federica sofia aurora ginevra rosa giovanna lucia caterina joão joao pedro tiago "
    "rui nuno paulo fernanda joana inês mariana catarina gabriela beatriz thiago felipe bruno "
    "rodrigo marcelo juliana camila leticia larissa "
    # Slavic, Baltic, Hungarian, Romanian, Greek
    "jan stanisław stanislaw andrzej józef jozef tadeusz jerzy zbigniew krzysztof piotr tomasz "
    "paweł pawel marcin michał michal grzegorz łukasz lukasz jakub agnieszka małgorzata "
    "malgorzata katarzyna joanna ewa krystyna barbara magdalena zofia jadwiga ivan dmitri dmitry "
    "sergei sergey alexei aleksandr vladimir mikhail nikolai igor oleg pavel yuri boris viktor "
    "andrei maksim natalia tatiana olga irina svetlana ekaterina anastasia ludmila galina nina "
    "petr jiří jiri milan zdeněk josef jana hana lenka věra alena lucie tereza istván lászló "
    "józsef zoltán sándor ferenc attila zsuzsanna katalin ilona erzsébet ion gheorghe vasile "
    "mihai andrei cristian elena ioana giorgos dimitris nikos kostas yannis eleni katerina "
    "sofija marija dragan zoran goran nikola milica jelena "
    # Turkish, Arabic, Persian, African
    "mehmet mustafa ahmet ali hüseyin huseyin hasan ibrahim ismail osman yusuf murat ömer emre "
    "fatma ayşe ayse emine hatice zeynep elif meryem merve mohamed mohammed muhammad ahmed mahmoud "
    "omar khaled hassan hussein youssef abdullah abdul tariq samir karim amir reza hamid fatima "
    "aisha khadija maryam zainab layla leila amina nour yasmin samira salma kwame kofi ama "
    "chinedu ngozi emeka oluwaseun thabo sipho nomvula "
    # Indian, East and South-East Asian
    "rahul amit rajesh sanjay suresh ramesh vijay anil sunil ravi arjun rohan krishna deepak "
    "ashok manoj vikram aditya priya pooja neha anjali sunita lakshmi kavita sita divya aishwarya "
    "meera radha li wei zhang wang jing min xin yan hui ming jun hiroshi takashi kenji akira "
    "satoshi yuki haruto sakura yui aoi hana minjun seojun jiho nguyen thi linh huong minh tuan "
    "budi siti putri agus dewi"
)
