import { describe, expect, it } from 'vitest';
import { highlighted, languageOf, linesOf } from './highlighter.ts';

const textOf = (lines: Awaited<ReturnType<typeof highlighted>>) =>
  lines?.map((line) => line.map(({ text }) => text).join('')).join('\n');

describe('highlighting', () => {
  it('keeps the text, in pieces, line by line', async () => {
    const code = 'const a = "<b>&amp;"; // it\'s\n/* two\nlines */ let x = `y`;\n';
    const lines = await highlighted(code, 'ts');
    expect(textOf(lines)).toBe(code);
    expect(lines?.[0]?.[0]).toEqual({ kind: 'keyword', text: 'const' });
    expect(lines?.[1]).toEqual([{ kind: 'comment', text: '/* two' }]);
  });

  it('leaves code plain if its language is unknown, or if it or one of its lines is too long', async () => {
    expect(await highlighted('x', 'klingon')).toBeUndefined();
    expect(await highlighted('x', '')).toBeUndefined();
    expect(await highlighted('a\n'.repeat(20_000), 'ts')).toBeUndefined();
    expect(await highlighted('a'.repeat(201), 'ts')).toBeUndefined();
  });

  it('does not mistake tags in the code for its own spans', () => {
    expect(linesOf('&lt;span class="hljs-x"&gt;&amp;lt;')).toEqual([[{ kind: '', text: '<span class="hljs-x">&lt;' }]]);
  });

  it('knows languages by file names', () => {
    expect([
      languageOf('/a/b.test.ts'),
      languageOf('Dockerfile'),
      languageOf('C:\\x\\y.PY'),
      languageOf('LICENSE'),
    ]).toEqual([...['typescript', 'dockerfile', 'python', '']]);
  });

  it('copes with hostile code', async () => {
    for (const sign of ['(', '"', '<', '{{', '`${', '/*', '\\', '<!--', "'''", '#!'])
      for (const language of ['ts', 'python', 'xml', 'markdown', 'bash', 'php', 'ruby', 'css', 'cpp', 'swift']) {
        const code = `${sign.repeat(66)}\n`.repeat(100).slice(0, 11_000);
        const lines = await highlighted(code, language);
        if (lines !== undefined) expect(textOf(lines)).toBe(code);
      }
  });
});
