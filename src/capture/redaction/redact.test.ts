import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { letters } from '../../../test/secret-shapes.ts';
import { briefingTag } from '../../schema/briefing-tag.ts';
import { recallTag } from '../../schema/recall-tag.ts';
import { isWhollyPrivate, redact, redactJson, redactValue } from './redact.ts';

// Secrets are generated, so that this file contains none.
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';
const any = (length: number) => `a1B${letters(upper + lower + digits, length - 3)}`;
const hex = (length: number) => letters('0123456789abcdef', length);
const base64 = (length: number) => letters(`${upper}${lower}${digits}+/`, length);
const pem = (kind: string, body = base64(640)) =>
  `-----BEGIN ${kind}-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END ${kind}-----`;

const secrets: [kind: string, secret: string, around?: string][] = [
  ['AWS access key', `AKIA${letters(`${upper}234567`, 16)}`],
  ['AWS secret key', base64(40), 'aws_secret_access_key = "%"'],
  ['AWS secret key', base64(40), 'AWS_SECRET_ACCESS_KEY=%'],
  ['GitHub token', `ghp_${any(36)}`],
  ['GitHub token', `gho_${any(36)}`],
  ['GitHub token', `github_pat_${any(22)}_${any(59)}`],
  ['GitLab token', `glpat-${any(20)}`],
  ['Slack token', `xoxb-${letters(digits, 12)}-${letters(digits, 12)}-${any(24)}`],
  ['Slack token', `xapp-1-${any(11)}-${letters(digits, 12)}-${hex(64)}`],
  ['Slack', `T${any(9)}/B${any(9)}/${any(24)}`, 'https://hooks.slack.com/services/%'],
  ['npm token', `npm_${any(36)}`],
  ['npm token', hex(36), '//registry.npmjs.org/:_authToken=%'],
  ['Anthropic key', `sk-ant-api03-${any(93)}AA`],
  ['Anthropic key', `sk-ant-oat01-${any(80)}`],
  ['OpenAI key', `sk-${any(20)}T3BlbkFJ${any(20)}`],
  ['OpenAI key', `sk-proj-${any(74)}T3BlbkFJ${any(74)}`],
  ['OpenAI key', `sk-proj-${any(48)}`],
  ['OpenRouter key', `sk-or-v1-${hex(64)}`],
  ['Stripe key', `sk_live_${any(24)}`],
  ['Stripe key', `rk_test_${any(99)}`],
  ['Stripe key', `whsec_${any(32)}`],
  ['SendGrid key', `SG.${any(22)}.${any(43)}`],
  ['Twilio key', `SK${hex(32)}`],
  ['Google key', `AIza${any(35)}`],
  ['Google OAuth secret', `GOCSPX-${any(28)}`],
  ['private key', JSON.stringify(pem('PRIVATE KEY')).slice(1, -1), '{"type":"service_account","private_key":"%"}'],
  ['Azure key', `${base64(86)}==`, 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=%;EndpointSuffix=x'],
  ['Azure client secret', `Abc8Q~${any(34)}`],
  ['Shopify token', `shpat_${hex(32)}`],
  ['Linear key', `lin_api_${any(40)}`],
  ['Notion token', `ntn_${letters(digits, 11)}${any(35)}`],
  ['Hugging Face token', `hf_${letters(upper + lower, 34)}`],
  ['Databricks token', `dapi${hex(32)}-2`],
  ['Docker token', `dckr_pat_${any(27)}`],
  ['PyPI token', `pypi-AgEIcHlwaS5vcmc${any(120)}`],
  ['DigitalOcean token', `dop_v1_${hex(64)}`],
  ['Vault token', `hvs.${any(95)}`],
  ['Groq key', `gsk_${any(52)}`],
  ['Telegram token', `${letters('123456789', 10)}:AA${any(33)}`],
  ['JSON web token', `eyJ${any(30)}.eyJ${any(80)}.${any(43)}`],
  ['token', any(40), 'Authorization: Bearer %'],
  ['password', base64(24), 'authorization: Basic %'],
  ['password', 'hunter2', 'https://alice:%@git.example.com/repo.git'],
  ['password', 'p@ss:w0rd', 'postgres://admin:%@db.internal:5432/app'],
  ['password', 's3cret!', 'redis://:%@cache:6379/0'],
  ['password', 's3cret!', 'mongodb+srv://app:%@cluster0.mongodb.net/?retryWrites=true'],
  ['password', 'Tr0ub4dor&3', 'Server=tcp:x.database.windows.net;User ID=sa;Password=%;Encrypt=true'],
  ['private key', pem('RSA PRIVATE KEY')],
  ['private key', pem('OPENSSH PRIVATE KEY', `b3BlbnNzaC1rZXktdjE${base64(400)}`)],
  ['private key', pem('EC PRIVATE KEY', `MHcCAQEE${base64(150)}`)],
  ['private key', pem('ENCRYPTED PRIVATE KEY')],
  ['private key', pem('PGP PRIVATE KEY BLOCK', `\nVersion: GnuPG v2\n\n${base64(600)}\n=ab1c`)],
  ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${base64(300)}`],
];

describe('21: secrets are redacted before storing, with a mark of what was removed', () => {
  it.each(secrets)('%s (%#)', (kind, secret, around = 'export KEY="%"; echo done') => {
    const text = around.replace('%', () => secret);
    const clean = redact(text);
    expect(clean).toContain(`[redacted: ${kind}`);
    expect(clean).not.toContain(secret.slice(0, 60));
    expect(clean).not.toContain(secret.slice(-12));
    // The text around it stays.
    expect(clean.slice(0, 3)).toBe(text.slice(0, 3) === secret.slice(0, 3) ? '[re' : text.slice(0, 3));
  });

  it.each(secrets)('finds it anywhere in a text: %s (%#)', (_, secret, around = '%') => {
    const inner = around.replace('%', () => secret);
    for (const text of [
      `one\n${inner}\ntwo`,
      `(${inner})`,
      `\t${inner}`,
      `"a\\n${inner}"`,
      `x%3D${inner}`,
      `\\u0026${inner}`,
      `${'lorem ipsum '.repeat(2000)}${inner} x`,
    ])
      expect(redact(text)).not.toContain(secret.slice(-20));
  });

  it('finds every one of several secrets', () => {
    const text = secrets.map(([, secret, around = '%']) => around.replace('%', () => secret)).join('\n\n');
    const clean = redact(text);
    for (const [, secret] of secrets) expect(clean).not.toContain(secret);
    expect(redact(clean)).toBe(clean);
  });

  it('ignores comments in the text that would switch the rules off', () => {
    const secret = `ghp_${any(36)}`;
    expect(redact(`// secretlint-disable\n${secret}`)).not.toContain(secret);
  });

  it.each([
    ['a commit', 'commit 5f4dcc3b5aa765d61d8327deb882cf99f2a1c0de\nAuthor: A <a@example.com>'],
    ['a uuid', 'session 0250d3ae-f647-48a6-bf09-d2de0a8df83f'],
    ['the integrity of a package', `"integrity": "sha512-${base64(86)}=="`],
    ['an image', `data:image/png;base64,iVBORw0KGgo${base64(4000)}`],
    ['a mail address', 'ssh://git@github.com:22/a/b.git mailto:a@b.example'],
    ['a template', `postgres://user:$PASSWORD@host/db https://u:\${TOKEN}@h/ ftp://<user>:<password>@h`],
    ['a class name', 'class="sk-circle sk-loading-container-with-a-long-name-and-more"'],
    [
      'an identifier',
      'npm_config_registry npm_package_dependencies_typescript_version hf_transformers_cache_directory',
    ],
    ['a marker of a key', 'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) return; // -----END PRIVATE KEY-----'],
    ['code', `const token = await auth.bearer (request); headers["Authorization"] = 'Bearer \${token}';`],
    ['prose', 'The bearer of this letter has the secret access key to the private key store.'],
    ['a public key', `ssh-rsa AAAAB3NzaC1yc2E${base64(340)} me@host\n${pem('PUBLIC KEY')}`],
    ['a version in a path', '/nix/store/3n58xw4373jp0ljirf06d8077j15pc4j-glibc-2.38-44/lib/ld-linux-x86-64.so.2'],
  ])('leaves %s alone', (_, text) => expect(redact(text)).toBe(text));
});

describe('19: private passages are removed before anything is stored', () => {
  it.each([
    ['a <private>b</private> c', 'a  c'],
    ['a <PRIVATE>b</Private> c', 'a  c'],
    ['a <private>b <private>c</private> d</private> e', 'a  e'],
    ['a <private>b', 'a '],
    ['a <private>b <private>c</private> d', 'a '],
    ['a <private reason="x" >b</private > c', 'a  c'],
    ['a < private >b< / private > c', 'a  c'],
    ['a <private\n>b</private\n> c', 'a  c'],
    ['a </private> b', 'a  b'],
    ['a </private> b <private>c</private> d', 'a  b  d'],
    ['<private>a</private>', ''],
    [`${'<private>x</private>y'.repeat(5000)}`, 'y'.repeat(5000)],
    [`${'<private>'.repeat(5000)}x${'</private>'.repeat(5000)}y`, 'y'],
    ['<private>a\nb\n</private>\n\nc', '\n\nc'],
  ])('%s', (text, clean) => expect(redact(text)).toBe(clean));

  it.each(['a <privateer> b', 'List<private-key>', '<private-data>x</private-data>', 'private <b>x</b>', 'a < b'])(
    'is not %s',
    (text) => expect(redact(text)).toBe(text),
  );

  it('is found in every text of a tool input, however it is escaped there', () => {
    const secret = `ghp_${any(36)}`;
    const input = { command: `line\n${secret}\n`, list: ['<private>x</private>y', { deep: `\t${secret}` }], n: 1 };
    const clean = JSON.stringify(redactValue(input));
    expect(clean).toBe(
      '{"command":"line\\n[redacted: GitHub token]\\n","list":["y",{"deep":"\\t[redacted: GitHub token]"}],"n":1}',
    );
    expect(redactJson(JSON.stringify(input))).toBe(clean);
    expect(redactJson(JSON.stringify(input).slice(0, -4))).not.toContain(secret);
    const harmless = { a: [1, 'two', null] };
    expect(redactValue(harmless)).toBe(harmless);
  });

  it('redacts a password in an address that is part of another address', () => {
    expect(redact('next=https%3A%2F%2Fbob%3As3cr3tpw%40host.example')).toBe(
      'next=https%3A%2F%2Fbob%3A[redacted: password]%40host.example',
    );
  });

  it('redacts values whose name is further out, and Kubernetes secrets', () => {
    expect(
      redactValue({ db_password: { value: 'hunter2x', type: 'string' }, token: ['a1b2c3d4e5f6a1b2'], value: 'a1b2c3' }),
    ).toEqual({
      db_password: { value: '[redacted: password]', type: 'string' },
      token: ['[redacted: token]'],
      value: 'a1b2c3',
    });
    expect(redactValue({ kind: 'Secret', data: { conf: 'aHVudGVyMg==' }, metadata: { name: 'x' } })).toEqual({
      kind: 'Secret',
      data: { conf: '[redacted: secret]' },
      metadata: { name: 'x' },
    });
    expect(
      redactValue({ cookies: [{ name: 'sid', value: 'a1b2c3d4e5f6a1b2', domain: 'h.example', path: '/' }] }),
    ).toEqual({
      cookies: [{ name: 'sid', value: '[redacted: token]', domain: 'h.example', path: '/' }],
    });
    const other = { kind: 'ConfigMap', data: { conf: 'aHVudGVyMg==' } };
    expect(redactValue(other)).toBe(other);
  });

  it.each([
    ['an entity twice', '&amp;lt;private&amp;gt;', '&amp;lt;/private&amp;gt;'],
    ['an entity in capitals', '&LT;private&GT;', '&LT;/private&GT;'],
    ['an entity without its end', '&ltprivate&gt', '&lt/private&gt'],
    ['an entity with zeros', '&#x0003c;private&#x0003e;', '&#x0003c;/private&#x0003e;'],
    ['an escape in braces', '\\u{3c}private\\u{3e}', '\\u{3c}/private\\u{3e}'],
    ['an octal escape', '\\074private\\076', '\\074/private\\076'],
    ['an address', '%3Cprivate%3E', '%3C%2Fprivate%3E'],
    ...[0, 1, 0x7f, 0x85, 0x1160, 0x17b4, 0x180b, 0x2066, 0x2800, 0x3164, 0xffa0, 0xfff9, 0xe0001, 0xe0100].map(
      (code): [string, string, string] => {
        const inside = (tag: string) => [...tag].join(String.fromCodePoint(code));
        return [`U+${code.toString(16)} inside`, inside('<private>'), inside('</private>')];
      },
    ),
    ['Cyrillic letters', '<рrіvаtе>', '</рrіvаtе>'],
    ['Cyrillic capitals', '<РRІVАТЕ>', '</РRІVАТЕ>'],
    ['Greek letters', '<ρrινατε>', '</ρrινατε>'],
    ['small capitals', '<ᴘʀɪᴠᴀᴛᴇ>', '</ᴘʀɪᴠᴀᴛᴇ>'],
    ['mathematical letters', '<𝗉𝗋𝗂𝗏𝖺𝗍𝖾>', '</𝐩𝐫𝐢𝐯𝐚𝐭𝐞>'],
    ['no end of the tag', '<private ', '</private>'],
    ['a tag in the tag', '<private a=<b>', '</private>'],
    ['300,000 letters of attributes', `<private a="${'x'.repeat(300_000)}">`, '</private>'],
  ])('hides a passage whose tags are written with %s', (_, opening, closing) => {
    expect(redact(`open ${opening}hidden${closing} end`)).toBe('open  end');
  });

  it('keeps text about a tag that is never closed', () => {
    const text = 'Write <private before it, and the tag is <private';
    expect(redact(text)).toBe(text);
  });

  it('recognises a prompt that consists of nothing else', () => {
    const inSigns = ['```\n<private>x</private>\n```', '> <private>x</private>', '**<private>**x**</private>**'];
    const coloured = '\u001b[2m<private>\u001b[0mx\u001b[2m</private>';
    for (const text of [
      ...['<private>x</private>', ' <private>a</private>\n<PRIVATE>b', '! <private>ls</private>', coloured],
      ...inSigns,
    ])
      expect(isWhollyPrivate(text), text).toBe(true);
    expect(isWhollyPrivate('\u3164<private>x</private>\u115f'), 'fillers').toBe(true);
    for (const text of ['', ' ', 'a <private>x</private>', 'a', '<privateer>'])
      expect(isWhollyPrivate(text), text).toBe(false);
  });
});

describe('20: text that we gave to an agent is not stored again', () => {
  it.each([
    [`<${briefingTag}>what was</${briefingTag}>now`, 'now'],
    [`a <${briefingTag} project="x">what\nwas</${briefingTag}> b`, 'a  b'],
    [`a <${briefingTag}>cut off`, 'a '],
    [`a <${recallTag}>what was found</${recallTag}> b`, 'a  b'],
    [`<${recallTag}>a <${briefingTag}>b</${briefingTag}> c</${recallTag}>d`, 'd'],
  ])('%s', (text, clean) => expect(redact(text)).toBe(clean));
});

describe('hostile text', () => {
  it.each(['my', 'the', 'some', 'a'])(
    'a value that begins like a placeholder (%s_…) takes no longer than another',
    (word) => {
      expect(redact(`password=${word}_${'abcdefgh'.repeat(8)}1`)).toBe('password=[redacted: password]');
    },
  );

  const units = [
    '<',
    '< ',
    '<private ',
    '<private>',
    '</private',
    '-----BEGIN ',
    '-----BEGIN RSA PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----AAAA',
    'a:b@',
    '://a:b@',
    '://a:',
    'https://x:',
    'mysql://u:p',
    'eyJ',
    'eyJ-',
    'eyJaaaaaaaaaaaa.',
    'sk-',
    'sk-proj-A1',
    'xoxb-',
    'xoxb-a-',
    'SG.a.',
    `SG.${'a'.repeat(130)}.`,
    'ghp_',
    'glpat-A',
    'ops_ey',
    'aws_secret_access_key = ',
    'Bearer a1',
    'Bearer ',
    '; Password=',
    'x-oauth-basic@github.com/https://',
    '\\',
    'A',
    ' ',
  ];
  const time = (unit: string, size: number): number => {
    const text = `PRIVATE KEY sk-ant-aaaa ${unit.repeat(Math.ceil(size / unit.length))}`;
    const before = process.cpuUsage();
    redact(text);
    return process.cpuUsage(before).user / 1000;
  };

  it.each(units)('takes time in proportion to its length: %j', (unit) => {
    time(unit, 50_000);
    const [one, four] = [time(unit, 250_000), time(unit, 1_000_000)];
    // Four times the text may take four times as long; quadratic work would take sixteen times. Short times are noise; only this process's CPU time counts.
    expect(four).toBeLessThan(12 * Math.max(one, 25));
  });

  it('may be long: 10 MB', () => {
    const secret = `ghp_${any(36)}`;
    const text = `${'All work and no play. '.repeat(480_000)}${secret}`;
    expect(redact(text).endsWith('[redacted: GitHub token]')).toBe(true);
  });

  it('may contain a secret in every line', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `ghp_${any(31)}${10_000 + i}`).join('\n');
    expect(redact(text).split('[redacted: GitHub token]')).toHaveLength(20_001);
  });
});

// 110 transcripts of real sessions, if they are available: code, logs and prose without any secret.
describe.runIf(fs.existsSync(new URL('../../../shared/bench/real-transcripts.tar.gz', import.meta.url)))(
  'real text',
  () => {
    it('is left alone', async () => {
      const { execFileSync } = await import('node:child_process');
      const archive = new URL('../../../shared/bench/real-transcripts.tar.gz', import.meta.url).pathname;
      const lines = execFileSync('tar', ['xzOf', archive, '--wildcards', '*.jsonl'], { maxBuffer: 1 << 28 })
        .toString()
        .split('\n');
      const marks: string[] = [];
      for (const line of lines)
        for (const mark of redactJson(line).match(/.{30}\[redacted: [^\]]{1,40}\]/g) ?? []) marks.push(mark);
      expect(marks).toEqual([]);
    }, 120_000);
  },
);
