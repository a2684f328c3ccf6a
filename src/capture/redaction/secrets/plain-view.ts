// A text as a reader would see it: escapes resolved, colours and invisible characters removed, full-width characters as plain ones.

export interface PlainView {
  readonly text: string;
  /** Where the character at `index` of the view begins in the original, and where it ends. */
  begin(index: number): number;
  end(index: number): number;
}

/** Controls, characters without a width, direction marks, fillers and blanks that are letters: they can be inside a word without being seen. */
const invisible =
  '\\u0000-\\u0008\\u000e-\\u001a\\u001c-\\u001f\\u007f-\\u009a\\u009c-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';
const wide = '\\uff01-\\uff5e';
/** The first halves of invisible tags and selectors, and of mathematical letters. */
const upper = '\\udb40\\ud835';

const escapes =
  /\\(?:u[0-9a-fA-F{]|x[0-9a-fA-F]{2}|[/e]|0?33\[)|\\0?7[46]|&(?:#|quot|amp|lt|gt|apos|QUOT|LT|GT)|%3[AaCcDd]/;
const unseenOrWide = new RegExp(`[\\u001b\\u009b${invisible}${wide}${upper}]`);
/**
 * Most texts have none of these characters. It has more characters than those above, because V8 calls a function for each character of a text
 * beyond Latin-1 if a class has more than sixteen ranges.
 */
const mayBeUnseen =
  '\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ud835\\udb40\\ufe00-\\uffff';
const mayHide = new RegExp(`[${mayBeUnseen}\\\\&%]`);
const mayHaveUnseen = new RegExp(`[${mayBeUnseen}]`);

let lastText = '';
let lastHides = false;

/**
 * Whether a text contains something that can hide a word from a search. A backslash before a blank or a quotation mark
 * cannot. Several rules ask about the same text in a row, so the last answer is remembered.
 */
export function hidesWords(text: string): boolean {
  if (text === lastText) return lastHides;
  lastText = text.length <= rememberedText ? text : '';
  const hides = mayHide.test(text) && (escapes.test(text) || (mayHaveUnseen.test(text) && unseenOrWide.test(text)));
  if (lastText !== '') lastHides = hides;
  return hides;
}

const rememberedText = 1 << 20;
/** A view has lists beside its text. */
const rememberedView = 1 << 16;

const hiding =
  `\\\\{1,16}(?:u([0-9a-fA-F]{4}|\\{[0-9a-fA-F]{1,6}\\})|x([0-9a-fA-F]{2})|([nrtbf"'/e])|0?(74|76))` +
  '|&(?:amp;){0,4}(?:#(\\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(quot|amp|lt|gt|apos|QUOT|LT|GT));?' +
  `|(?:\\u001b|\\u009b|\\\\{1,16}(?:u001[bB]|x1[bB]|0?33|e)(?=\\[))(?:\\[[0-9;?]{0,40}[A-Za-z]|\\][^\\u0007\\u001b]{0,200}(?:\\u0007|\\u001b\\\\))?` +
  `|((?:[${invisible}]|\\udb40[\\udc00-\\udfff]){1,4096})|([${wide}]|\\ud835[\\udc00-\\udfff])|%([2-7][0-9a-fA-F])`;
const resolved = new RegExp(hiding, 'g');
const colourFirst = /\\{1,16}(?:u001[bB]|x1[bB]|0?33|e)\[[0-9;?]{0,40}[A-Za-z]/y;

const named: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };
const short: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: ' ', f: ' ', e: '' };

let lastOriginal = '';
let lastView: PlainView | undefined;

/** Several rules look at the same text in a row, so the last view is remembered. */
export function plainView(original: string): PlainView {
  if (lastView !== undefined && original === lastOriginal) return lastView;
  const view = resolve(original);
  [lastOriginal, lastView] = original.length <= rememberedView ? [original, view] : ['', undefined];
  return view;
}

/**
 * Linear: one pass over the escapes. An escape may have as many backslashes as five levels of quoting need.
 * A nested escape of another kind (`\\u005cn`) is resolved once.
 */
function resolve(original: string): PlainView {
  // Parallel lists of the points where view and original diverge: the index in the view, and the index in the original.
  const at: number[] = [0];
  const from: number[] = [0];
  let text = '';
  let done = 0;
  resolved.lastIndex = 0;
  for (let found = resolved.exec(original); found !== null; found = resolved.exec(original)) {
    let end = found.index + found[0].length;
    let letter = letterOf(found);
    colourFirst.lastIndex = found.index;
    const colour = original.charCodeAt(found.index) === 92 ? colourFirst.exec(original) : null;
    if (colour !== null) {
      letter = '';
      end = found.index + colour[0].length;
      resolved.lastIndex = end;
    }
    text += original.slice(done, found.index);
    if (letter !== '') {
      at.push(text.length);
      from.push(found.index);
      text += letter;
    }
    at.push(text.length);
    from.push(end);
    done = end;
  }
  text += original.slice(done);
  const place = (index: number): number => {
    let low = 0;
    let high = at.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((at[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return (from[low] ?? 0) + index - (at[low] ?? 0);
  };
  return { text, begin: place, end: (index) => (index === 0 ? 0 : endOf(index)) };

  /** Where the character before `index` ends: an escape is longer in the original than in the view. */
  function endOf(index: number): number {
    const next = place(index);
    const last = place(index - 1);
    // Invisible characters between the two belong to the next character, unless the last character is itself an escape.
    return isEscape(original.charCodeAt(last)) ? Math.max(next, last + 1) : last + 1;
  }
}

/** A backslash, `&`, `%`, or the first half of a mathematical letter. */
const isEscape = (code: number): boolean => code === 92 || code === 38 || code === 37 || code === 0xd835;

function letterOf(found: RegExpExecArray): string {
  const [, unicode, hex, letter, octal, decimal, hexEntity, entity, hidden, wideLetter, percent] = found;
  const code = unicode ?? hex ?? hexEntity ?? percent;
  if (code !== undefined) return visible(Number.parseInt(code.replace('{', ''), 16));
  if (octal !== undefined) return visible(Number.parseInt(octal, 8));
  if (decimal !== undefined) return visible(Number(decimal));
  if (letter !== undefined) return short[letter] ?? letter;
  if (entity !== undefined) return named[entity.toLowerCase()] ?? '';
  if (hidden !== undefined) return '';
  if (wideLetter !== undefined) return wideLetter.normalize('NFKC');
  return '';
}

const unseen = new RegExp(`[${invisible}]`);
const wides = new RegExp(`[${wide}]`);

function visible(code: number): string {
  const letter = String.fromCharCode(code);
  if (unseen.test(letter)) return '';
  return wides.test(letter) ? String.fromCharCode(code - 0xfee0) : letter;
}
