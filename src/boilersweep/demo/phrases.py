"""Templates of sentences, headlines and comments, and the names that go into them.

Fields: {title}, {things} and {others} are plurals, {part} and {piece} singulars, {deed} an
infinitive; {name}, {place} and {month} do not depend on the subject.
"""

NAMING = (
    "People ask me about {title} more often than I can answer.",
    "Everything I know about {title} I learned from {name} in {place}.",
    "There are better seasons than {month} for {title}, and we found out why.",
    "My notebook for {month} is mostly about {title} and a little about the {part}.",
    "If you have never cared for {title}, the {part} is a good place to start.",
    "An afternoon with {title} and the {part} goes by faster than one thinks.",
)
PLAIN = (
    "The {things} were older than the {part}, and neither had been touched since {month}.",
    "We spent an hour on the {part} before {name} noticed the {things}.",
    "It takes some patience to {deed}, above all when the {part} is in the way.",
    "{name} says that one should {deed} first and think of the {part} afterwards.",
    "Without the {part} there is not much use for {things} or {others}.",
    "In {place} they keep the {things} apart from the {others}, and they have their reasons.",
    "Next week we will {deed}, unless the {part} gives up before that.",
    "I had brought my own {things}, which turned out to be the wrong kind for this {part}.",
    "Nobody told us that the {part} and the {piece} have to be looked after together.",
    "The {part} came from {place}, the {piece} from a neighbour who was glad to see it go.",
    "You can {deed} in the morning and still have time for the {things} after lunch.",
    "{name} drew the {part} on a napkin, with arrows for the {things} and a cross for the {piece}.",
    "What surprised me most was how quickly the {others} made us forget the {part}.",
    "On the second day we looked at the {piece} again and counted the {things} twice.",
    "Before you {deed}, have a look at the {things}; they rarely lie.",
    "Half of the {things} were gone by {month}, and the {part} looked lonely without them.",
)
PRAISE = (
    "I have seldom enjoyed the {part} so much.",
    "The {things} were wonderful, and I would do all of it again tomorrow.",
    "To {deed} is one of the quiet pleasures that cost nothing.",
    "Honestly, the {part} is the best thing that happened to us since {month}.",
    "{name} was right to praise the {things}: they are a delight.",
)
COMPLAINT = (
    "The {part} was a disappointment from the first minute.",
    "I am tired of {things} that promise much and last a week.",
    "To {deed} in this weather is a misery I wish on nobody.",
    "Frankly, the {others} were awful and the {part} was worse.",
    "{name} may defend the {things}; I want my money and my {month} back.",
)
FILLER = (
    "I wrote this on the bus, with cold hands and a borrowed pencil.",
    "More about that another time, because the soup is getting cold.",
    "Thank you all for the kind letters, the naïve questions and the odd postcard.",
    "We talked it over at the café on the corner until they put up the chairs.",
    "My sister thinks that I exaggerate, and she has known me for a long time.",
    "It rained, of course, as it always does when {name} comes over from {place}.",
    "That was the plan, at least, and for a day or two we even followed it.",
    'When I asked whether it was worth the trouble, {name} only said "wait and see".',
    "I don't keep a proper diary, so don't hold me to the dates.",
    "{name} sent a long letter from {place} and a short one the day after.",
)
ASIDES = (
    "All this reminded {name} of {title}, but that is a story for another day.",
    "On the way back we even talked about {title}, which none of us knows well.",
    "Compared with {title}, somebody said, this is an easy hobby.",
)
HEADLINES = (
    "Notes on {title}",
    "A week of {title}",
    "{title} and the {part}",
    "What the {part} taught me",
    "{things} in {month}",
    "How to {deed}",
    "{title}, part two",
    "More about {title}",
)
HEADLINES_FOR = ("In praise of {title}", "Why I love {title}", "{title} at last")
HEADLINES_AGAINST = ("Enough of {title}", "The trouble with {title}", "No more {title}")
SHORT_COMMENTS = (
    "Great post!",
    "Thanks, {name}, this made my day.",
    "I agree about the {part}.",
    "Same here in {place}.",
    "What a shame about the {things}.",
    "Lovely. More pictures, please?",
    "First!",
    "Never thought of {title} like that.",
)
ADS = (
    "Cheap {title} here!",
    "{title}: compare prices",
    "Free shipping on {things}",
    "{things} and {others} from only 9.99",
)
NAMES = (
    "Renée", "Jürgen", "Søren", "Zoë", "Agnes", "Tomás", "Ingrid", "Émile", "Wanda", "Hugh",
    "Märta", "Piet", "Noël", "Beatrix", "Iñigo", "Oona", "Clara", "Walter", "Łucja", "Jiří",
)  # fmt: skip
PLACES = (
    "Århus", "Zürich", "Besançon", "Málaga", "Tromsø", "Ghent", "Whitby", "Görlitz", "Évora",
    "Leith", "Łódź", "Brno", "Malmö", "Cork", "Nîmes", "Trieste", "Kraków", "Utrecht",
)  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
BLOG_ADJECTIVES = (
    "Wooden", "Quiet", "Late", "Crooked", "Blue", "Patient", "Second", "Rainy", "Borrowed",
    "Little", "Northern", "Dusty", "Idle", "Paper", "Slow", "Left", "Salty", "Winter", "Round",
)  # fmt: skip
BLOG_NOUNS = (
    "Kettle", "Ladder", "Window", "Pocket", "Lantern", "Bench", "Button", "Drawer", "Umbrella",
    "Teapot", "Postcard", "Corner", "Whistle", "Notebook", "Staircase", "Spoon", "Gate",
)  # fmt: skip
