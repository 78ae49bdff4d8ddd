// The thousand words that people use most as a password, or as the larger part of one. Taken from the
// list of passwords in zxcvbn 4.4.2 (MIT licence), which counts those of public leaks: entries of four
// letters or more, obscene ones included, because people use them.

const WORDS = `
password qwerty dragon baseball football monkey letmein shadow master mustang qwertyuiop superman
qazwsx jordan killer hunter harley zxcvbnm asdfgh buster batman soccer tigger charlie sunshine
iloveyou ranger hockey computer starwars asshole pepper klaster zxcvbn freedom princess maggie
pass ginger love cheese summer chelsea dallas biteme matrix yankees corvette austin access thunder
merlin secret diamond hello hammer silver gfhjkm internet samantha golfer scooter test orange
cookie maverick sparky phoenix mickey bigdog snoopy guitar whatever chicken camaro mercedes peanut
ferrari falcon cowboy welcome samsung steelers smokey dakota arsenal boomer eagles tigers marina
nascar gateway yellow porsche monster spider diablo hannah bulldog junior london purple compaq
lakers iceman cowboys money banana boston tennis coffee scooby nikita yamaha mother barney brandy
chester oliver player forever rangers midnight chicago bigdaddy redsox angel badboy fender jasper
slayer rabbit natasha marine wizard marlboro raiders prince casper fishing flower jasmine iwantu
panties adidas winter winner gandalf enter ghbdtn golden cocacola winston madison angels panther
blowme spanky sophie asdfasdf toyota tiger canada muffin liverpoo apples pokemon slipknot qazxsw
scorpion qwaszx butter startrek rainbow asdfghjkl razz newyork redskins gemini cameron qazwsxedc
florida liverpool turtle sierra viking booger butthead doctor rocket dolphins captain bandit
jaguar packers pookie peaches asdf dolphin helpme blue theman maxwell qwertyui lovers maddog
giants nirvana metallic hotdog rosebud mountain warrior stupid elephant success jackass alexis
lucky scorpio samson azerty driver freddy sydney gators dexter bubba creative voodoo golf trouble
america nissan gunner garfield asdfghjk apollo eminem legend airborne bear beavis apple brooklyn
godzilla skippy buddy qwert kitten magic shelby beaver phantom asdasd xavier braves darkness
copper platinum qweqwe tomcat girls bigboy animal police online voyager lifehack fish sniper
trinity blazer heaven lover snowball loveme bubbles cricket willow donkey topgun nintendo saturn
destiny pakistan pumpkin digital sergey redwings explorer private runner therock guinness lasvegas
beatles fire cassie christin celtic andrey broncos babygirl eclipse fluffy cartman michigan
carolina testing alexande birdie pantera cherry vampire mexico buffalo genius montana beer
minecraft maximus flyers lovely stalker metallica doggie snickers speedy bronco paradise yankee
horses magnum dreams lacrosse goober enigma qwertyu scotty pimpin bollocks surfer poohbear genesis
star qweasdzxc racing hawaii viper poopoo einstein drowssap simple badger alaska action jester
drummer spitfire forest maryjane champion diesel svetlana friday hotrod chevy westside security
google badass tester shorty thumper hitman mozart reddog lizard ruslan eagle scarface buddha
spirit stargate naruto mercury liberty semperfi suzuki popcorn spooky marley scotland kitty
cherokee vikings simpsons rascal qweasd hummer loveyou patches russia jupiter penguin passion
vfhbyf honda vladimir sandman passport raider bastard infinity assman bulldogs fantasy horney
domino budlight disney ironman softball brutus redrum bigred mnbvcxz fktrcfylh karina marines
digger kawasaki cougar fireman oksana monday justice super wildcats tinker logitech dancer
swordfis avalon everton alexandr motorola patriots hentai madonna ducati colorado connor juventus
galore smooth freeuser warcraft boogie titanic wolverin elizabet arizona valentin saints asdfg
accord christ yfnfif stinky spiderma naughty chopper extreme skyline poop zombie pearljam froggy
awesome vision pirate fylhtq dreamer bullet predator empire kirill panthers skipper nemesis
peekaboo rolltide cardinal psycho danger mookie wanker chevelle manutd goblue hobbes vegeta
fyfcnfcbz picard windows loverboy victory vfrcbv bambam serega turkey tweety galina hiphop rooster
changeme berlin taurus polina electric avatar maksim raptor hendrix newport brazil spring madmax
alpha britney sublime darkside bigman wolfpack classic hercules ronaldo spiderman blizzard
cheyenne cjkysirj wombat pandora holiday wildcat devils horse alabama caesar pickle shaggy leather
chronic admin airplane kodiak freepass billybob sunset katana phpbb chocolat snowman stingray
firebird wolves zeppelin detroit pontiac gundam panzer outlaw redhead tarheels greenday nastya
hardon engineer hellfire serenity cobra fireball lickme darkstar flash strike beauty pavilion
bobafett dbrnjhbz bigmac bowling ytrewq natali pyramid rulez dodgers apache swimming whynot teens
trooper defender precious packard weasel popeye lucifer cancer icecream raven swordfish presario
viktor rockstar blonde wutang spike pimp atlanta airforce thailand casino lennon mouse hacker
bluebird hawkeye theone catfish sailor goldfish nfnmzyf tattoo pervert barbie maxima nipples
machine trucks wrangler rocks tornado lights cadillac bubble pegasus madman longhorn browns target
eatme microsoft dilbert christia baller shooter xfiles seattle qazqaz cthutq amateur prelude
corona freaky malibu assassin atlantis integra pussies iloveu lonewolf dragons unicorn software
bobcat stealth peewee openup srinivas zaqwsx valentina shotgun trigger veronika bruins coyote
babydoll joker dollar lestat hottie random butterfly wordpass smiley sweety snake chipper woody
samurai devildog gizmo maddie mistress flipper express hjvfirf moose cessna piglet polaris teacher
montreal cookies wolfgang scully fatboy wicked balls tickle bunny dfvgbh foobar transam pepsi
fetish basketba toshiba hotstuff sunday booty gambit impala stephani hooker lancer knicks shamrock
stinger redneck deftones squirt siemens blaster trucker subaru renegade ibanez manson swinger
reaper blondie mylove galaxy blahblah enterpri travel indiana skeeter sugar ficken smoke bigone
sweetpea trfnthbyf marino escort smitty bigfoot babes larisa trumpet spartan valera babylon
asdfghj stormy mister hamlet aardvark butterfl marathon paladin cavalier manchester skater indigo
hornet buckeyes indians karate hesoyam toronto diamonds chiefs buckeye highland charger redman
passwor maiden drpepper storm garden pencil sherlock timber thuglife insane pizza jungle aragorn
hamster triumph techno lollol pioneer catdog fktrctq morpheus pascal hobbit consumer blabla justme
stones chrissy spartak goforit burger pitbull adgjmptw italia barcelona hunting colors kissme
virgin overlord pebbles sundance emerald doggy racecar irina element zipper alpine basket goddess
poison nipple sakura chichi huskers ultimate blackie nicola rommel caserta omega geronimo trojan
philips nugget tarzan chicks aleksandr bassman trixie portugal anakin dodger bomber superfly
madness loser fatcat ybrbnf soldier warlock desire babe seminole alejandr westham andrei concrete
weed ladybug christop trombone tintin bluesky rhbcnbyf qazxswedc onelove cdtnkfyf vfvjxrf titans
stallion truck hansolo smiles beagle panama kingkong flatron inferno mongoose connect poiuyt
snatch qawsed juice blessed rocker snakes turbo bluemoon finger jamaica mulder beetle passat
immortal plastic whiskey dietcoke spunky monitor cactus exigen planet ripper teen spyder nolimit
hollywoo sticky trunks pickles sailing bonehead ghbdtnbr delta charlott rubber yomama hongkong
jumper faster unreal memphis nylons legion sebastia shalom pentium geheim werewolf funtime ferret
orion curious niners cantona sprite philly pirates abgrtyu lollipop eternity boeing sweets
cooldude tottenha jackoff stocking moomoo martini biscuit drizzt fossil makaveli snapper maniac
salmon patriot verbatim nasty shasta asdzxc shaved blackcat raistlin punkrock
`;

export const COMMON_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));
