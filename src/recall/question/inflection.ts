// The beginning of a German, Russian or Korean word, whatever its ending; and stop words of other languages. Only queries are treated this
// way: the index keeps words as written, and is searched for beginnings.

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** One of these makes a query German. Of the others it takes two, because elsewhere they are words, names or typos. */
const germanSigns = set(
  'und nicht warum wurde wurden haben für über welche welcher welches einen einem einer eines ist wird werden dass mit zum zur vom ' +
    'beim wir ich sind kann noch auch oder aber wenn der das',
);
const germanHints = set('den des dem im hat von auf bei ein eine wie wo wann sie nach aus');
const german = set(
  'die war waren was er es du an am in zu so als um da ihr uns unser unsere hatte hatten durch gegen bis',
);
const russian = set(
  'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему ' +
    'когда даже ну ли если уже или ни быть был него до вас нибудь мы их чем была сам чтоб без будто где есть надо ней для это этот ' +
    'эта эти почему зачем кто какой какая какие при об про под над был были мой наш нас нам',
);
/** Particles and auxiliaries of Japanese and Chinese, as the segmenter splits them. Katakana is hiragana here. */
const cjk = set(
  'が を に は の で と も や へ か ね よ た て し だ な さ い れ ます です した して する しま ました から まで より ない この その ' +
    'あの どの これ それ くだ さい ください こと もの ため よう さん です か 的 了 我 我们 你 们 是 在 和 有 这 那 来 吗 呢 吧 就 都 也 不 很 ' +
    '为 为什么 什么 怎么 哪里 一个 把 被 对 从 到 与 或 何 何故 なぜ どう',
);

const isCyrillic = (word: string): boolean => /^[\u0400-\u04ff]+$/.test(word);
const isHangul = (word: string): boolean => /^[\uac00-\ud7a3]+$/.test(word);

/** Expects lower case. */
export const looksGerman = (words: readonly string[]): boolean =>
  words.some((word) => germanSigns.has(word) || /[äöü]/.test(word)) ||
  words.filter((word) => germanHints.has(word)).length > 1;

/** True for words such as `und`, `что` and `です`. Expects lower case. */
export const isFillWord = (word: string, inGerman: boolean): boolean =>
  russian.has(word) ||
  cjk.has(word) ||
  (inGerman && (germanSigns.has(word) || germanHints.has(word) || german.has(word)));

const endings = (words: string, after = ''): RegExp => new RegExp(`(?:${words.replaceAll(' ', '|')})${after}$`);

const germanEndings = [endings('ungen innen ern em en er es'), endings('e n s')];
const russianEndings = [
  endings(
    'ов ев ом ем ам ям ах ях ами ями ой ей ий ый ая яя ое ее ые ие ую юю ого его ому ему ым им ых их ыми ими ия ии ию ием ией ' +
      'ать ять ить еть уть ыть ал ала али ало ил ила или ило ел ела ели ял яла яли ает яет ует ают яют уют ит ет ишь ешь ено ена ены ан ана ' +
      'ано аны ение ения ению ением ений ениям ениями ениях ание ания анию анием аний ировать ировал ировали ирован',
    '(?:ся|сь)?',
  ),
  endings('а я о е у ю ы и ь й'),
];
const koreanEndings = [
  endings(
    '했습니다 하였습니다 되었습니다 됐습니다 합니다 됩니다 입니다 했는지 하는지 하려면 했던 했다 한다 하는 하기 하고 하면 하여 해서 해야 되는 된다 되면 ' +
      '되어 에서는 으로는 에서 에게 한테 까지 부터 으로 이라는 라는 이나 처럼 보다 마다 조차 이랑 들은 들을 들이 들의 은 는 이 가 을 를 의 에 로 와 과 도 만 랑 들',
  ),
];

/** The beginning that all forms of the word share. Undefined if the word needs no change. Expects lower case. */
export function beginningOf(word: string, inGerman: boolean): string | undefined {
  if (isHangul(word)) return shortened(word, koreanEndings, 2);
  if (isCyrillic(word)) return word.length < 4 ? undefined : (shortened(word, russianEndings, 4) ?? word);
  if (inGerman && word.length >= 5 && /^[a-zäöü]+$/.test(word)) return shortened(word, germanEndings, 5) ?? word;
  return undefined;
}

/** Removes the longest ending. After an ending of one letter, the word may be shorter than after several. */
function shortened(word: string, from: readonly RegExp[], least: number): string | undefined {
  for (const ending of from) {
    const cut = ending.exec(word)?.[0].length ?? 0;
    if (cut > 0 && word.length - cut >= (cut === 1 && from.length > 1 ? least - 1 : least)) return word.slice(0, -cut);
  }
  return undefined;
}

/** `müller` as `mueller`. */
export const withUmlautE = (word: string): string =>
  word.replace(/[äöü]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] as string);

/** `mueller` as `muller`, which is how the index has Müller. */
export const withoutUmlautE = (word: string): string =>
  /^\p{L}{5,}$/u.test(word) ? word.replace(/(?<![aeoq])([aou])e/g, '$1') : word;
