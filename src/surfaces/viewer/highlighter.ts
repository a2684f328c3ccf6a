// Turns code into lines of coloured pieces. Loads the languages with the first code that needs them, since few pages do.

import { soon } from './soon.ts';

/** `kind` is empty for plain text, else a word such as `keyword`. */
export interface Piece {
  readonly kind: string;
  readonly text: string;
}
export type CodeLine = readonly Piece[];

/** Longer code stays plain, so that no text can freeze the page. */
const longestCode = 12_000;
const longestLine = 200;

/** The pieces of each line. Undefined if the language is unknown or the code too long. Contract: never throws. */
export async function highlighted(code: string, language: string): Promise<CodeLine[] | undefined> {
  if (language === '' || code.length > longestCode || code.split('\n').some((line) => line.length > longestLine))
    return undefined;
  try {
    const { highlight } = await soon(() => import('./highlighter-languages.ts'));
    return await soon(() => {
      const html = highlight(code, language);
      return html === undefined ? undefined : linesOf(html);
    });
  } catch {
    // The languages could not be loaded. Plain text is readable too.
    return undefined;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name] ?? '');

/** Parses the HTML of highlight.js, which is text and spans. It never enters the page as HTML. */
export function linesOf(html: string): CodeLine[] {
  const lines: Piece[][] = [[]];
  const open: string[] = [];
  const add = (text: string) => {
    for (const [i, part] of unescaped(text).split('\n').entries()) {
      if (i > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind: open.at(-1) ?? '', text: part });
    }
  };
  let from = 0;
  for (const match of html.matchAll(/<span class="([^"]*)">|<\/span>/g)) {
    add(html.slice(from, match.index));
    from = match.index + match[0].length;
    const [name] = match[1]?.replaceAll('hljs-', '').split(/[ .]/) ?? [];
    if (match[1] === undefined) open.pop();
    else open.push(name || (open.at(-1) ?? ''));
  }
  add(html.slice(from));
  return lines;
}

const byEnding: Readonly<Record<string, string>> = {
  ...{ ts: 'typescript', tsx: 'typescript', mts: 'typescript', cts: 'typescript' },
  ...{ js: 'javascript', jsx: 'javascript', mjs: 'javascript', cjs: 'javascript' },
  ...{ py: 'python', rb: 'ruby', go: 'go', rs: 'rust', java: 'java', kt: 'kotlin', swift: 'swift', php: 'php' },
  ...{ c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', hpp: 'cpp', cs: 'csharp', sql: 'sql', css: 'css', scss: 'css' },
  ...{ html: 'xml', htm: 'xml', xml: 'xml', svg: 'xml', vue: 'xml', json: 'json', jsonl: 'json', yml: 'yaml' },
  ...{ yaml: 'yaml', toml: 'ini', ini: 'ini', md: 'markdown', sh: 'bash', bash: 'bash', zsh: 'bash', diff: 'diff' },
};

/** The language of a file by its name. Empty if unknown. */
export function languageOf(file: string): string {
  const name = file.split(/[/\\]/).at(-1)?.toLowerCase() ?? '';
  if (name === 'dockerfile') return 'dockerfile';
  if (name === 'makefile') return 'makefile';
  return byEnding[/\.(\w+)$/.exec(name)?.[1] ?? ''] ?? '';
}
