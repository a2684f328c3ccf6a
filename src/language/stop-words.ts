// Words that say nothing about the subject of a text.

const stopWords = new Set(
  (
    'a about above after again against all am an and any are as at be because been before being below between both but ' +
    'by can could did do does doing down during each few for from further had has have having he her here hers him his ' +
    'how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ' +
    'out over own same she should so some such than that the their theirs them then there these they this those through ' +
    'to too under until up very was we were what when where which while who whom why will with would you your yours ' +
    "s t d ll m re ve don didn doesn isn wasn couldn wouldn shouldn won aren weren hasn haven hadn let's"
  ).split(' '),
);

/** False for words such as `the` and `with`. Expects lower case. */
export const isTellingWord = (word: string): boolean => !stopWords.has(word);

/** Words that are common in every project, so they say nothing about one. */
const everyday = new Set(
  (
    'add added adding ask bit bug build can change changed changes check claude code could create does done error errors ' +
    'file files fine first fix fixed fixes fixing get getting give good help hey hello implement improve issue issues just ' +
    'keep know latest let like little look make making many maybe move need needed new next now ok okay one please problem ' +
    'project put read really refactor remove rename right run running see set should show simple something start still sure ' +
    'take tell thanks thing think time try two update updated use used using want way well work working write yes yet ' +
    'find found last never always again back call called come different enough every everything far full got hard idea kind ' +
    'left line lines long lot mean only open part place point possible same second seems side small sort stop today whether ' +
    'user users main model test tests testing failing fail fails old big instead since version via without whole also seem seems'
  ).split(' '),
);

/** Expects lower case. */
export const isEveryday = (word: string): boolean => everyday.has(word);
