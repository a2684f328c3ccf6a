// Text of a transcript may contain what a terminal obeys: colours, moves of the cursor, titles. A page can only show it as noise.

/** Colours and moves (CSI), titles and links (OSC), and short sequences such as a reset. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it removes
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|\x1b[ -/]{0,8}[0-Z\\-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it removes
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const controls = new RegExp(control, 'g');

export const withoutSequences = (text: string): string => text.replace(sequences, '');

/** Without control sequences and control characters; line breaks and tabs stay. */
export const withoutControls = (text: string): string =>
  // Most texts have none: looking for one character is faster than replacing.
  control.test(text) ? withoutSequences(text).replace(/\r\n?/g, '\n').replace(controls, '') : text;
