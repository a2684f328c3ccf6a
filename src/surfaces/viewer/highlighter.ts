// Code → lines of coloured pieces. The languages are loaded with the first code that has one: few pages need them.

/** `kind` is empty for plain text, else a word such as `keyword`. */
export interface Piece {
  readonly kind: string;
  readonly text: string;
}
export type CodeLine = readonly Piece[];

/** More than this stays plain: the page must not stand still, whatever the text is. */
const longestCode = 12_000;
const longestLine = 200;

/** Pieces of the lines of a code; undefined where its language is unknown, or it is too long. Contract: never throws. */
export async function highlighted(code: string, language: string): Promise<CodeLine[] | undefined> {
  if (language === '' || code.length > longestCode || code.split('\n').some((line) => line.length > longestLine))
    return undefined;
  try {
    const { highlight } = await import('./highlighter-languages.ts');
    const html = highlight(code, language);
    return html === undefined ? undefined : linesOf(html);
  } catch {
    // Without its file, code is as readable as plain text.
    return undefined;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name] ?? '');

/** What highlight.js gives is text between spans; it is read here, and never put into the page as HTML. */
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

/** The language of a file, by the end of its name; empty where that tells none. */
export function languageOf(file: string): string {
  const name = file.split(/[/\\]/).at(-1)?.toLowerCase() ?? '';
  if (name === 'dockerfile') return 'dockerfile';
  if (name === 'makefile') return 'makefile';
  return byEnding[/\.(\w+)$/.exec(name)?.[1] ?? ''] ?? '';
}
