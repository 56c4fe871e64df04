"""The subjects the demo's blogs write about. Neighbours share a word, so they are confused."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject and its own words.

    title: a plural, and the title of the topic.
    things: plurals.
    parts: singulars that take "the".
    deeds: what one does, as infinitives without "to".
    """

    title: str
    things: tuple[str, ...]
    parts: tuple[str, ...]
    deeds: tuple[str, ...]


# Four lines a subject: title; things; parts; deeds.
_TABLE = """
night trains
sleeper berths, couchettes, border stops, blue blankets, station clocks
conductor, dining car, timetable, corridor, upper bunk
book a berth, sleep through the border, miss the connection
model trains
locomotives, sidings, tiny signals, plaster hills, brass wheels
turntable, baseboard, controller, gauge, tunnel mouth
lay the track, paint the station, run the express
bread ovens
clay domes, hearth tiles, rye loaves, peels, embers
chimney, sourdough, firebrick, crust, flour sack
fire the hearth, knead the dough, rake out the ashes
pizza ovens
toppings, thin crusts, basil leaves, olive jars, steel trays
mozzarella, tomato sauce, flame, pizza stone, rolling pin
stretch the dough, turn the pizza, scorch the rim
tomato seedlings
side shoots, trusses, cloches, peat pots, vine stakes
greenhouse, compost, watering can, windowsill, late frost
prick out the weakest, pinch the tops, harden them off
pepper seedlings
capsicums, chilli pods, seed trays, white flies, heat mats
propagator, pollen brush, potting soil, hot variety, grow light
sow in January, feed with seaweed, count the pods
garden ponds
water lilies, newts, liners, reeds, dragonflies
pump, algae, frog spawn, waterfall, pond net
dig the hole, skim the duckweed, top up the water
garden sheds
shelves, hinges, roof felts, rakes, oil cans
padlock, workbench, gable, creosote, leaking corner
patch the roof, hang up the tools, sweep out the spiders
folding bicycles
hinge clamps, small wheels, commuters, luggage blocks, seat posts
frame, folding pedal, handlebar, puncture, carry bag
fold it in ten seconds, ride to the office, oil the hinge
cargo bicycles
front boxes, child seats, straps, rain covers, disc brakes
wheelbase, payload, kickstand, motor, bakfiets
haul the groceries, load the crates, climb the bridge
harbour walks
trawlers, gulls, bollards, lobster pots, lighthouses
quay, breakwater, tide table, ferry, customs house
follow the mole, watch the boats, count the masts
forest walks
beeches, ferns, fallen trunks, mushrooms, jays
footpath, clearing, waymark, stream, canopy
follow the ridge, lean on the gate, lose the path
wool jumpers
cables, raglan sleeves, moths, skeins, elbow patches
cardigan, neckline, needle, lanolin, cable pattern
cast on the ribbing, block the sleeves, unravel the yoke
wool carpets
fringes, knots, madder dyes, looms, kilims
weaver, underlay, border motif, pile, carpet beater
beat out the dust, mend the fringe, roll it up
radio plays
sound effects, narrators, microphones, cliffhangers, scripts
broadcast, studio, announcer, wireless, final scene
record the footsteps, tune in on Sunday, read the villain
radio masts
guy wires, antennas, transmitters, red lamps, steeplejacks
signal, frequency, mountain top, static, relay hut
climb the lattice, tighten the stays, measure the range
chess clubs
gambits, endgames, pawns, blitz nights, rated games
opening, bishop, chess clock, checkmate, club champion
castle early, resign too soon, analyse the ending
book clubs
novels, chapters, paperbacks, plot twists, reading lists
author, narrator, living room, library copy, last page
skim the ending, choose the next novel, quarrel about the hero
street markets
stalls, awnings, crates, haggling matches, fishmongers
cash box, bargain, market square, scale, cheese cart
haggle over the melons, set up before dawn, weigh the cherries
street lamps
bulbs, sodium lights, lamp posts, moths, gas mantles
glare, switch, pavement, lamplighter, night sky
dim the street, change the fuse, shield the light
brass bands
cornets, tubas, marches, mutes, bandstands
conductor's baton, trombone, contest piece, valve, uniform
blow a wrong note, rehearse the march, polish the bell
brass clocks
pendulums, cogs, chimes, mainsprings, dials
escapement, clockmaker, pivot, winding key, mantelpiece
wind it on Fridays, oil the gears, regulate the swing
school buses
drivers, bus stops, back seats, snow chains, yellow doors
route, mirror, morning queue, seat belt, depot
save a seat, wait at the corner, count the pupils
school lunches
canteens, lunch boxes, puddings, peas, trays
cook, menu, queue, custard, gravy
peel the carrots, trade the sandwich, serve seconds
mountain huts
bunks, rucksacks, wood stoves, crampons, tin mugs
warden, summit, ridge, hut register, snow shovel
hang up the boots, start before sunrise, melt the snow
mountain goats
horns, kids, cliffs, hooves, salt licks
herd, goat bell, ledge, billy, cheese dairy
leap the gap, milk the nanny, chew the rope
paper kites
tails, bamboo sticks, string reels, gusts, bow lines
spar, knot, updraught, beach, bridle
glue the sail, let out the line, catch the wind
paper maps
contour lines, fold marks, grid squares, legends, atlases
compass, scale bar, cartographer, map shop, index sheet
fold it properly, plot the route, lose the north
public libraries
borrowers, reading rooms, late fines, card catalogues, branch rooms
ladder, shelf mark, lending desk, story hour, due date
renew the loan, stamp the card, whisper at the desk
public pools
swimmers, lanes, lockers, diving boards, goggles
chlorine, lane rope, deep end, shower, swim cap
swim forty lengths, queue for the slide, dive from the edge
cheese cellars
rinds, wheels, moulds, brine baths, wooden boards
affineur, cave, humidity, Gruyère, goat cheese
turn the wheels, brush the rind, taste with a borer
wine cellars
corks, vintages, tannins, racks, dusty bottles
corkscrew, decanter, cask, Rhône, bouquet
lay down a case, draw the cork, read the label
film cameras
shutters, darkrooms, negatives, lenses, light meters
viewfinder, aperture, developer, contact sheet, grain
load the roll, rewind too soon, print at midnight
speed cameras
fines, tickets, grey boxes, radar guns, flashes
speed limit, appeal letter, number plate, court date, dashboard
brake too late, contest the fine, slow down in the village
stone walls
dry stones, copings, wallers, sheep gaps, lichens
foundation, through stone, batter frame, hammer, field edge
rebuild the gap, sort the stones, set the cope
stone bridges
arches, piers, parapets, flood marks, packhorses
keystone, river, mason, span, toll house
cross on foot, point the joints, measure the flood
weather stations
rain gauges, barometers, anemometers, logbooks, records
thermometer, forecast, dew point, data logger, sensor
read the gauge, log the gusts, calibrate the needle
petrol stations
pumps, forecourts, attendants, tyre gauges, vending racks
diesel, nozzle, unleaded, counter, car wash
fill the tank, check the oil, pay at the till
puppet theatres
marionettes, strings, crocodiles, wooden heads, curtains
music box, backdrop, trapdoor, glove puppet, applause
carve the head, untangle the strings, scare the front row
open-air theatres
actors, cushions, thunderstorms, lanterns, torches
stage, ruin, intermission, monologue, hillside
bring a blanket, wait out the shower, whisper the lines
crème brûlées
vanilla pods, ramekins, egg yolks, caramel shards, blowtorches
cream, sugar crust, water bath, custard spoon, pâtissier
crack the crust, scald the cream, burn the sugar
café terraces
wicker chairs, parasols, espressos, waiters, ashtrays
croissant, pavement table, awning, bill, café au lait
order a second cup, watch the square, move with the sun
piñata parties
paper donkeys, sweets, blindfolds, sticks, streamers
birthday, rope, papier-mâché, candy shower, fiesta
swing at the donkey, fill it with sweets, tie the blindfold
jalapeño salsas
limes, tortillas, coriander stalks, onions, pickled peppers
salsa, mortar, heat, jalapeño, dip
chop the chillies, rub the eyes, roast the skins
electric kettles
heating elements, lids, limescale flakes, teapots, boil switches
spout, flex, thermostat, whistle, tea bag
descale with vinegar, boil a litre, warm the pot
electric guitars
pickups, amplifiers, frets, pedals, riffs
string, whammy bar, feedback, solo, rosewood neck
tune down a tone, swap the pickup, annoy the neighbours
winter swimmers
ice holes, bathrobes, hot saunas, blue toes, thermos flasks
lake, ladder, shiver, cold shock, felt hat
breathe slowly, break the ice, run to the sauna
winter tyres
treads, studs, rims, snowfalls, wheel nuts
grip, garage, braking distance, torque wrench, black ice
swap them in October, measure the tread, skid round the bend
honey bees
hives, drones, swarms, combs, smokers
queen, beekeeper, nectar, varroa mite, lime blossom
smoke the hive, spin the frames, follow the swarm
honey cakes
spices, almonds, lebkuchen, baking tins, glazes
cinnamon, oven door, ginger, buckwheat honey, icing
soak the raisins, beat the butter, cool on a rack
"""


def _subjects(table: str) -> tuple[Subject, ...]:
    lines = table.strip().splitlines()
    cells = [tuple(line.split(", ")) for line in lines]
    return tuple(
        Subject(lines[at], cells[at + 1], cells[at + 2], cells[at + 3])
        for at in range(0, len(lines), 4)
    )


SUBJECTS = _subjects(_TABLE)
"""Fifty; topic number n is SUBJECTS[n - 1]."""
