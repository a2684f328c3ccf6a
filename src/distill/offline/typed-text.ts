// A prompt → the text that the person typed: without pasted logs, code and output.

import { isTellingWord } from '../../language/stop-words.ts';

/** Lines that people paste rather than type: output, code, JSON, stack traces, shell prompts, bare paths. */
const pasted: readonly RegExp[] = [
  /^\s*[{}[\]()<>]/,
  /^\s*["'][\w$-]+["']\s*:/,
  /[{};]\s*$/,
  /=>\s*$|^\s*(?:const|let|var|import|export|function|def|class|return|await|from)\s+[\w{*$]+.*[=({;:]/,
  /^\s*at\s+.+[:(]\d+/,
  // An assignment, a row of a table that lost its cells, and a command line with options.
  /^\s*[\w.[\]"']+\s*(?:=|\+=|:=)\s*\S/,
  /\w`x`\w.*`x`\w/,
  /^\s*(?!(?:how|why|what|when|where|which|does|do|is|are|can|could|should|would|we|i|you|the|please)\b)(?:[A-Z_]+=\S+ )*[a-z][\w./-]*(?: [\w./:-]+){0,3} --?[a-z][\w-]*(?:[= ]\S+)*\s*\\?$/,
  /^\s*File "[^"]+", line \d+/,
  /^\s*[\w./-]+\.\w{1,5}:\d+(?::\d+)?: |^\s*(?:===|---|\*\*\*|<<<)\s/,
  /^\s*(?:Traceback|Caused by:|During handling)/,
  /^\s*(?:➜|❯|\$|>|%|»|⏵|\+|-\s{2,}|\d+\s*[|:│]|\|)\s/,
  /^\s*~?\/\S+\s*\([^)]*\)\s*$/,
  /^\s*['"]?(?:~|\.{0,2})?\/[^\s'"]+(?:[ \w.-]+\.\w+)?['"]?\s*$/,
  /^\s*\[?\d{1,4}[-:/]\d{2}[-:/T.]\d{2}/,
  /\b(?:npm|yarn|pnpm) (?:ERR|WARN|error|warn)\b/i,
  /^\s*\w+=["'\w[({].*,?\s*$/,
  /^\s*\[?(?:error|warn(?:ing)?|info|debug|fatal|trace|notice)\b\]?\s*[:[(]/i,
  /^\s*\w*(?:Error|Exception|Warning)\b.*:/,
  /[╭╰│┃━─═]{2,}|_{6,}|={6,}/,
  /^\s*#\d+\s+\d/,
  /^\s*[\w$]+:\s.*,\s*$/,
  /^\s+(?:errno|code|syscall|path|stack|message):\s/,
  /^\s*(?:=>|\[\+\]|\p{Extended_Pictographic})/u,
  /\)\s*(?:as \w+)?:\s*$|^\s*[\w.]+\s*=\s*\S+\(/,
  /^\s*(?:GET|POST|PUT|DELETE|PATCH|HEAD)\b/,
  /\S{90,}/,
  /^\s*(?:Tip|Note|Hint|Usage|Generated|Downloading|Installing|Compiling|Running|Collecting)\b.{0,80}(?::|\.\.\.|\bin \d)/,
];

/** Code and addresses within a sentence say nothing about who wrote it, so each counts as one short word. */
function withoutNames(line: string): string {
  const plain = line.replace(/`[^`]+`/g, '`x`').replace(/https?:\/\/\S+/g, 'link');
  return wordsIn(plain) >= 4 ? plain : line.replace(/`[^`]+`/g, '`x`');
}

const wordsIn = (text: string): number => text.match(/(?<!\S)\p{L}[\p{L}'’]*(?=[\s,.;:?!]|$)/gu)?.length ?? 0;

/** A sentence of a person: it begins as a question, a wish or a statement does, and consists of words. */
const speaks =
  /^\s*(?:(?:ok(?:ay)?|so|and|also|but|yes|no|hm+|hey)[, ]+)*(?:how|why|what|when|where|which|who|does|do|did|is|are|can|could|should|would|will|we|i|you|i'm|we're|let'?s|please|pls|the)\s+\p{L}/iu;
const isSpoken = (line: string): boolean =>
  speaks.test(line) &&
  wordsIn(line) >= 5 &&
  !/[{};=]\s*$|[({]\S*\s*$/.test(line) &&
  (line.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => !isTellingWord(word)).length >= 2;

function isPasted(line: string, isOnly: boolean): boolean {
  const plain = withoutNames(line);
  if (isOnly && isSpoken(plain)) return false;
  if (pasted.some((pattern) => pattern.test(plain))) return true;
  if (plain.length < 12) return false;
  let letters = 0;
  for (const char of plain) if (/[\p{L}\s]/u.test(char)) letters++;
  return letters / plain.length < 0.6;
}

/** Characters read of a prompt. The rest says nothing new about the request. */
const looked = 6000;

/** If most lines of a long block do not end like sentences, assumes that the person typed the first two and pasted the rest. */
function withoutBlocks(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let block: string[] = [];
  const flush = () => {
    const open = block.filter((line) => !/[.?!:,;]\s*\\?$|^\s*(?:[-*•]|\d+[.)])\s/.test(line)).length;
    kept.push(...(block.length >= 8 && open > block.length * 0.6 ? block.slice(0, 2) : block));
    block = [];
  };
  for (const line of lines) {
    if (line.trim() === '') {
      flush();
      kept.push(line);
    } else block.push(line);
  }
  flush();
  return kept;
}

/** A shell prompt, or a question of a program. The lines after it are output. */
const shellPrompt = /^\s*(?:➜|❯|\$|%|»|⏵|>>>)\s|\[[Yy]\/[Nn]\]|^\s*(?:PS )?[\w.-]+@[\w.-]+[:~ ].*[$#]\s/;
const listItem = /^\s*(?:[-*•+]|\d{1,3}[.)])\s/;

/** Removes output: the lines after a shell prompt, or after a line such as `I get this:` unless a list or a code block follows. */
function withoutOutput(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let dropping: 'no' | 'next block' | 'block' = 'no';
  for (const line of lines) {
    const empty = line.trim() === '';
    if (shellPrompt.test(line)) dropping = 'block';
    else if (dropping === 'next block' && !empty)
      dropping = listItem.test(line) || /^\s*(?:```|~~~)/.test(line) ? 'no' : 'block';
    else if (dropping === 'block' && empty) dropping = 'no';
    if (dropping !== 'block') kept.push(line);
    if (dropping === 'no' && /:\s*\\?$/.test(line) && line.length < 300) dropping = 'next block';
  }
  return kept;
}

/** The file name says as much as a long path. */
const longPath =
  /(^|[\s("'`])@?(?:~|\.{1,2})?(?:\/[\w.@+-]+)+\/([\w.@+-]+\.\w{1,5})(?:(?::|#L)\d+(?:-L?\d+)?)?(?=$|[\s,;:.?!)"'`])/g;
const tag = /(?<!`)<\/?([a-z][\w-]*)(\s[^<>]{0,200})?\/?>(?!`)/gi;

/** File names instead of long paths, unless the paths of two files end with the same name. */
function withShortPaths(text: string): string {
  const paths = new Set(Array.from(text.matchAll(longPath), ([path]) => path.trim()));
  const names = new Set([...paths].map((path) => path.split('/').at(-1)));
  return names.size < paths.size ? text : text.replace(longPath, '$1$2');
}

/** Output that was pasted behind a colon, on the line that the person typed. */
const pastedAfter = /^([^\n:]{12,200}:) +(?=[[{<]|\w*(?:Error|Exception)\b|\d{4}-\d\d-|➜|❯)/gm;

/** The prompt without what was pasted into it. */
export function typedText(text: string): string {
  const head = withShortPaths(text.slice(0, looked)).replace(pastedAfter, '$1\n');
  const lines = head.split('\n');
  const isOnly = lines.filter((line) => line.trim() !== '').length === 1;
  let fenced = false;
  const kept = withoutOutput(lines).filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced;
      return false;
    }
    return !fenced && !isPasted(line.replace(/\\$/, ''), isOnly);
  });
  return (
    withoutBlocks(kept)
      .join('\n')
      // `<strategy name>` is a placeholder that a person wrote. A real tag has a closing tag or attributes.
      .replace(tag, (whole, name: string, rest = '') =>
        whole.startsWith('</') ||
        rest.includes('=') ||
        head.includes(`</${name}`) ||
        /^(?:br|hr|img|p|div|span|b|i)$/i.test(name)
          ? ' '
          : whole,
      )
      .replace(/\s[:;]-?[()/|DP](?=\s|$)/gm, ' ')
      .replace(/\[(?:Image|Screenshot|Pasted text)[^\]]{0,40}\]/g, ' ')
      .replace(/(^|\s)@(?=[\w./-]+)/g, '$1')
  );
}
