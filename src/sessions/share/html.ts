// A shared session as one self-contained HTML file. It has no scripts and fetches nothing, and its content policy forbids both.
import { Marked } from 'marked';
import { deedOf, exitCodeIn } from '../../schema/deed.ts';
import { differenceOf, sizeOf } from '../../schema/line-difference.ts';
import { localTime } from '../../schema/local-time.ts';
import { isTooDear } from '../../schema/markdown-cost.ts';
import { withoutControls } from '../../schema/plain-text.ts';
import { type Wording, whoSaid } from './markdown.ts';
import type { SharedEntry, SharedSession, SharedUse } from './shared.ts';
import { sharedStyle } from './style.ts';

/** Replaces every character with a meaning in HTML by a character reference. */
const escaped = (text: string): string =>
  withoutControls(text).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const isSafe = (href: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(href);

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ text, href }) => `<span class="picture">${escaped(text || href)}</span>`,
    code: ({ text }) => `<pre><code>${escaped(text)}</code></pre>`,
    // After a tag such as <pre> the parser would leave text unescaped.
    text(token) {
      return 'tokens' in token && token.tokens !== undefined
        ? this.parser.parseInline(token.tokens)
        : escaped(token.text);
    },
    codespan: ({ text }) => `<code>${escaped(text)}</code>`,
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return isSafe(href) ? `<a href="${escaped(href)}" rel="noopener noreferrer nofollow">${text}</a>` : text;
    },
  },
});

function rendered(text: string): string {
  if (isTooDear(text)) return `<pre>${escaped(text)}</pre>`;
  try {
    return marked.parse(text, { async: false });
  } catch {
    // Quotes nested deeper than the parser can go.
    return `<pre>${escaped(text)}</pre>`;
  }
}

const longestHeading = 90;

export function sharedHtml(shared: SharedSession, wording: Wording): string {
  const { timeZone } = wording;
  const prompts = shared.entries.flatMap((entry, i) => (entry.author === 'person' ? [{ entry, i }] : []));
  const facts = [
    shared.project,
    shared.agent,
    ...(shared.branch === undefined ? [] : [shared.branch]),
    `${localTime(shared.startedAt, timeZone)} – ${localTime(shared.endedAt, timeZone)} (${timeZone})`,
    ...(shared.tags ?? []).map((tag) => `#${tag}`),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(shared.title)}</title>
<style>${sharedStyle}</style>
</head>
<body>
<main>
<header>
<h1>${escaped(shared.title)}</h1>
<p class="facts">${facts.map((fact) => `<span>${escaped(fact)}</span>`).join(' ')}</p>
${(shared.links ?? []).map((link) => `<p>${isSafe(link) ? `<a href="${escaped(link)}" rel="noopener noreferrer nofollow">${escaped(link)}</a>` : escaped(link)}</p>`).join('\n')}
</header>
${outline(prompts)}
${shared.entries.map((entry, i) => article(entry, i, wording)).join('\n')}
</main>
</body>
</html>
`;
}

function outline(prompts: readonly { readonly entry: SharedEntry; readonly i: number }[]): string {
  if (prompts.length < 3) return '';
  const items = prompts.map(({ entry, i }) => {
    const line = entry.text.replace(/\s+/g, ' ').trim();
    const points = Array.from(line.slice(0, 4 * longestHeading));
    const short = points.length > longestHeading ? `${points.slice(0, longestHeading - 1).join('')}…` : line;
    return `<li><a href="#e${i}">${escaped(short)}</a></li>`;
  });
  return `<details class="outline"><summary>${prompts.length} prompts</summary><ol>${items.join('')}</ol></details>`;
}

function article(entry: SharedEntry, i: number, wording: Wording): string {
  const who = escaped(whoSaid(entry, wording));
  const time = `<time datetime="${escaped(entry.at)}">${localTime(entry.at, wording.timeZone)}</time>`;
  const text = entry.text === '' ? '' : `<div class="text">${rendered(entry.text)}</div>`;
  const uses = (entry.uses ?? []).map(toolUse).join('\n');
  return `<article id="e${i}" class="${entry.author}"><p class="who"><b>${who}</b> ${time}</p>${text}${uses}</article>`;
}

function toolUse(use: SharedUse): string {
  const deed = deedOf(use);
  const code = exitCodeIn(use.output);
  const failed =
    use.outcome === 'error' ? ` <span class="failed">${code === undefined ? 'failed' : `exit ${code}`}</span>` : '';
  const output =
    use.output === undefined || use.output.trim() === '' ? '' : `<pre>${escaped(use.output.trimEnd())}</pre>`;
  if (deed.kind === 'command') {
    const [first = ''] = deed.command.split('\n');
    return `<details class="tool"><summary><code>$ ${escaped(first)}</code>${failed}</summary><pre>${escaped(deed.command)}</pre>${output}</details>`;
  }
  if (deed.kind === 'edit') {
    const lines = differenceOf(deed.changes);
    const { added, removed } = sizeOf(lines);
    const rows = lines.map(({ sign, text }) => {
      const kind = sign === '+' ? 'ins' : sign === '-' ? 'del' : 'span';
      return `<${kind}>${sign === '…' ? '…' : `${sign} ${escaped(text)}`}</${kind}>`;
    });
    return `<details class="tool" open><summary><b>${escaped(use.tool)}</b> <code>${escaped(deed.file)}</code> <span class="added">+${added}</span> <span class="removed">−${removed}</span>${failed}</summary><pre class="diff">${rows.join('\n')}</pre></details>`;
  }
  return `<details class="tool"><summary><b>${escaped(use.tool)}</b> ${escaped(deed.gist)}${failed}</summary>${output}</details>`;
}
