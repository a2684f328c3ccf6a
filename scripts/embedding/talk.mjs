// Everyday talk made from patterns: what people say to each other and ask about later. Free text of that kind with a clear licence is rare, and the
// teacher, not the pattern, says what a sentence means; the patterns only bring everyday words into sentences.
import { openRandom } from './random.mjs';

const list = (text) => text.split(/\s*[,\n]\s*/).filter(Boolean);

const slots = {
  name: list(`Anna, Ben, Clara, David, Emma, Felix, Grace, Henry, Isabel, Jack, Karen, Leo, Maria, Nick, Olivia, Paul, Rachel, Sam, Tina, Victor, Wendy,
    Carlos, Priya, Yuki, Ahmed, Sofia, Omar, Lena, Marcus, Nina`),
  kin: list(`mother, father, mom, dad, sister, brother, daughter, son, wife, husband, grandmother, grandfather, aunt, uncle, cousin, niece, nephew, best friend,
    neighbor, roommate, boss, colleague, girlfriend, boyfriend, partner, teacher, kids, parents, friends, team, doctor, therapist`),
  place:
    list(`beach, mountains, park, museum, library, gym, hospital, office, airport, restaurant, coffee shop, bakery, supermarket, theater, cinema, concert, zoo,
    school, university, church, community center, garden, lake, forest, farm, hotel, studio, gallery, stadium, festival, conference, workshop, clinic, bookstore,
    market, island, desert, national park, campsite, old town, countryside, train station, swimming pool, dance class, cooking class, language class`),
  city: list(`Paris, London, Tokyo, New York, Berlin, Rome, Chicago, Boston, Seattle, Barcelona, Sydney, Toronto, Mumbai, Mexico City, Lisbon, Vienna, San Francisco, Texas,
    California, Hawaii, Japan, Italy, Spain, Canada, India, Brazil, Ireland, Greece, Thailand`),
  food: list(`pizza, pasta, sushi, soup, salad, bread, chocolate cake, apple pie, cookies, ice cream, tacos, curry, noodles, pancakes, steak, roast chicken, a smoothie, tea, coffee,
    red wine, a sandwich, rice and beans, grilled fish, vegetables, banana bread, lasagna, dumplings, cheese, strawberries, homemade jam`),
  pet: list('dog, cat, puppy, kitten, rabbit, parrot, hamster, turtle, horse, goldfish, guinea pig, snake'),
  job: list(`nurse, teacher, software engineer, lawyer, chef, musician, painter, writer, photographer, accountant, carpenter, electrician, designer, manager, journalist,
    scientist, firefighter, police officer, salesperson, student, dancer, actor, veterinarian, social worker, architect, mechanic, farmer, dentist, coach`),
  hobby:
    list(`painting, running, hiking, swimming, camping, reading, gardening, cooking, baking, photography, dancing, yoga, meditation, chess, video games, playing the guitar,
    playing the piano, playing the drums, writing poetry, knitting, woodworking, cycling, fishing, surfing, skiing, rock climbing, bird watching, volunteering, journaling,
    basketball, soccer, tennis, karate, collecting stamps, drawing, singing, travelling, learning Spanish, board games`),
  feel: list(`happy, sad, proud, nervous, excited, tired, stressed, grateful, lonely, relieved, angry, anxious, hopeful, surprised, disappointed, scared, calm, inspired, overwhelmed,
    confident, bored, confused, jealous, embarrassed, motivated`),
  thing:
    list(`a new car, a bicycle, a guitar, a laptop, a camera, a necklace, a painting, a book, a house, an apartment, a phone, running shoes, a dress, a winter coat, a watch, a tent,
    a sofa, a coffee machine, a piano, tickets, a ring, a backpack, headphones, a tablet, flowers, a birthday present, a lamp, a mattress, a game console, a blender`),
  did: list(`went hiking, baked a cake, trained the dog, moved to a new apartment, started a new job, lost my job, got a promotion, broke my arm, ran a marathon, finished a novel,
    visited my grandparents, painted the kitchen, planted tomatoes, signed up for a course, gave a speech, had surgery, passed the exam, failed the test, got engaged, got married,
    had a baby, bought a house, sold the car, lost my keys, missed the train, fixed the bike, wrote a song, joined a band, met an old friend, cooked dinner for everyone,
    watched a movie, read a great book, went camping, learned to swim, took the kids to the zoo, cleaned the garage, booked a flight, cancelled the trip,
    saw the doctor, started therapy, quit smoking, went on a diet, opened a shop, lost a friend, applied for a loan, paid off the debt, repaired the roof, attended a wedding,
    went to a concert, played chess, took a photo of the sunset, won a competition, raised money for charity, cut my hair, bought new shoes`),
  plan: list(`go camping, visit my sister, learn French, start a business, apply for the job, move abroad, run a race, write a book, open a bakery, take a painting class,
    save money, buy a house, change careers, go back to school, get a pet, plan the wedding, throw a party, travel around the world, cook something special,
    meet for lunch, call the bank, renew the passport, fix the car, redecorate the bedroom, join a gym, eat less sugar, sleep more, read every day`),
  when: list(`yesterday, last night, last week, last weekend, last month, last year, two days ago, a few weeks ago, three years ago, this morning, on Monday, on Friday, on Saturday,
    in January, in March, in May, in July, in October, in the summer, over the holidays, on my birthday, at Christmas, recently, when I was a kid, in 2019, in 2022, after work`),
  soon: list(
    'tomorrow, next week, next month, next year, this weekend, tonight, in two weeks, in spring, on Tuesday, soon, one day, later today, after the holidays, in June',
  ),
  why: list(`it makes me feel alive, it helps me relax, I wanted a change, my family needs me, I was tired of the old one, it was too expensive, the weather was bad, it reminds me of home,
    I love children, I need the money, my back hurts, I had no time, everyone kept asking, it was a dream of mine, I was afraid to fail, it is good for my health`),
  tech: list(`the build, the login page, the database, the test suite, the API, the server, the deployment, the parser, the cache, the queue, the config file, the migration, the worker,
    the search index, the retry logic, the websocket connection, the payment service, the mobile app, the CSS, the release script, the Docker image, the type checker, the linter,
    the memory leak, the race condition, the error message, the access token, the webhook, the cron job, the upload form, the dashboard, the log file, the feature flag, the schema`),
  broke:
    list(`is broken, fails on Windows, times out, is too slow, throws an exception, returns an empty list, crashes at startup, loses data, blocks the main thread, leaks memory,
    does not compile, shows the wrong date, ignores the setting, sends the request twice, rejects valid input, hangs forever, was removed, needs a rewrite, is flaky, passes now, works again`),
  fix: list(`add a test for it, roll it back, pin the version, increase the timeout, add an index, write a migration, use a lock, cache the result, rename the function, delete the old code,
    split the module, upgrade the library, drop the dependency, validate the input, log the error, retry with backoff, move it to a worker thread, store it in SQLite, mock nothing,
    revert the commit, document the option, return early, batch the writes, use a transaction, escape the string, check for null, handle the edge case, keep it simple`),
};

const patterns =
  `I {did} {when} with my {kin}.|I {did} {when}.|{name} {did} {when}.|My {kin} {did} {when} and I was so {feel}.|Hey {name}! How have you been?|Hi {name}, good to see you!
|We went to the {place} in {city} {when}.|My {kin} is a {job}.|I work as a {job} in {city}.|{name} works as a {job}.|What does {name} do for a living?|What is your {kin} called?|Where did {name} go {when}?
|When did {name} go to the {place}?|When did you start {hobby}?|How long have you been {hobby}?|Why did {name} start {hobby}?|I started {hobby} because {why}.|{hobby} makes me {feel}.
|What does {name} like to do in their free time?|My favorite food is {food}.|What is your favorite food?|Can you recommend a recipe for {food}?|I had {food} at the {place} {when}.|We made {food} together.
|I just got a {pet}, and my {kin} loves it.|What is the name of your {pet}?|Our {pet} is {feel} today.|How many pets does {name} have?|I bought {thing} {when}.|Where did I buy {thing}?|How much did you pay for {thing}?
|My {kin} gave me {thing} for my birthday.|I want to {plan} {soon}.|I am going to {plan} {soon}.|What are you going to do {soon}?|{name} plans to {plan} {soon}.|I decided to {plan} because {why}.
|I feel {feel} about it.|That sounds great, {name}! I am {feel} for you.|Wow, congratulations! You must be {feel}.|I am sorry to hear that. Losing it must make you {feel}.|Thanks, {name}! That means a lot.
|Have you ever been to {city}?|I grew up in {city} and moved to {city} {when}.|Where does your {kin} live?|My {kin} lives in {city}.|How old is your {kin}?|Did your {kin} like the {place}?
|Any tips for {hobby}?|Can you suggest some places to visit in {city}?|I am looking for {thing}; do you have any recommendations?|I am thinking about {hobby} again, it has been a while.|Who went with you to the {place}?
|We are planning a trip to {city} {soon}.|What did {name} say about {hobby}?|What made {name} {feel}?|How did {name} feel after the {place}?|It was {feel} to see my {kin} again.|How many times did I go to the {place}?
|Do you remember when we {did}?|Remember that I am allergic to {food}.|I do not eat {food} any more because {why}.|I prefer {hobby} to {hobby}.|My {kin} and I love {hobby}.|What hobby did my {kin} take up?
|{tech} {broke}.|Why is it that {tech} {broke}?|Since {when} {tech} {broke}.|Let us {fix}.|I think we should {fix}, because {tech} {broke}.|We decided to {fix}.|Where did we decide to {fix}?|Can you {fix}?
|Please look at {tech} and {fix}.|Did you {fix}?|{tech} {broke}, so I had to {fix}.|What did we do about {tech}?|How should we deal with {tech}?|Who changed {tech}?|Do not {fix} yet.|First {fix}, then {fix}.
|Here are some ideas for {hobby} at home.|Sure! To {plan}, start with a simple list and set a date.|It is common to feel {feel} when you {plan}.|If you like {food}, you may enjoy {food} too.|As a {job}, you should {plan}.`
    .replaceAll('\n', '')
    .split('|');

/** `nouns` are further everyday words, so that the talk is not only about what is listed here. */
export function talk(count, nouns) {
  const next = openRandom(7);
  const one = (choices) => choices[Math.floor(next() * choices.length)];
  const more = [
    'I saw a {noun} {when}.',
    'What do you know about the {noun}?',
    'My {kin} told me about the {noun}.',
    'Do you have a {noun} at home?',
    'The {noun} in {city} was amazing.',
    'We talked about the {noun} and the {noun}.',
    'What was the {noun} that {name} mentioned?',
    'I need a {noun} for {hobby}.',
  ];
  const all = [...patterns, ...more, ...more];
  const say = () => {
    const text = one(all).replace(/\{(\w+)\}/g, (_, slot) => one(slot === 'noun' ? nouns : slots[slot]));
    return text[0].toUpperCase() + text.slice(1);
  };
  const made = new Set();
  while (made.size < count) made.add(next() < 0.75 ? say() : `${say()} ${say()}`);
  return [...made];
}
