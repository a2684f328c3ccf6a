import { describe, expect, it } from 'vitest';
import { secretTexts, shapes, unhidden } from '../../../../test/secret-shapes.ts';
import { redact, redactField } from '../redact.ts';
import { find } from './find.ts';

describe('secrets of every kind, in every place', () => {
  it('are found in at least 98 of 100 texts', () => {
    const texts = [...secretTexts()];
    const left = texts.filter(({ shape: { secret }, text }) => {
      const clean = unhidden(redact(text));
      // A private key's marker may stay, its body may not.
      const [, body] = secret.startsWith('-----') ? secret.split('\n') : [];
      return body === undefined ? clean.includes(secret.slice(-12)) || clean.includes(secret) : clean.includes(body);
    });
    const missed = left.map(({ shape, context }) => `${shape.kind}, ${context}`);
    console.log(
      `redaction: ${texts.length - left.length} of ${texts.length} texts, ${shapes.length} shapes`,
      missed.slice(0, 20),
    );
    expect(shapes.length).toBeGreaterThanOrEqual(200);
    expect(1 - left.length / texts.length, missed.join('\n')).toBeGreaterThanOrEqual(0.98);
  });

  it('are redacted in one pass: a second pass changes nothing', () => {
    for (const { shape, context, text } of secretTexts()) {
      const clean = redact(text);
      expect(redact(clean), `${shape.kind}, ${context}`).toBe(clean);
    }
  });
});

describe('text without a secret', () => {
  it.each([
    [
      'a variable',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of a shell
      'password: ${PASSWORD}\nDB_PASSWORD=$DB_PASSWORD TOKEN=${{ secrets.TOKEN }} curl -u "$USER:$PASS" h',
    ],
    ['a placeholder', 'API_KEY=<your key> API_KEY=your-api-key-here password=changeme TOKEN=xxxxxxxxxxxx SECRET=***'],
    ['the environment', 'const token = process.env.GITHUB_TOKEN; password = os.environ["DB_PASSWORD"]'],
    ['a type', 'interface Login { password: string; token?: string | undefined; apiKey: ApiKey1 }'],
    ['a call', 'const password = await readPassword(); token: createToken(user.id), secret = rng.bytes(32)'],
    ['a member', 'login({ password: user.password, token: this.state.token2, apiKey: config.keys.main })'],
    ['counts', '{"input_tokens": 1234, "max_tokens": 4096, "total_tokens":"5678901234567"}'],
    ['a key of another kind', 'key: user-12345678 primary_key = "order_id_2024" cacheKey: `user:12345678:profile`'],
    ['a line of a test', '--- PASS: TestLogin2/with_a_token (0.00s)\nok   pass: 12 fail: 0'],
    ['a message', '{"password": "Password must have at least 8 characters"}'],
    ['a port and a path', 'http://localhost:3000/@vite/client https://registry:5000/@scope/pkg@1.2.3'],
    ['an image by digest', 'docker://alpine:3.20@sha256:0123456789abcdef'],
    ['a path', 'token_file: /etc/app/token.json KEY_PATH=./keys/id_ed25519.pub secretFile=~/.config/app/secret.txt'],
    [
      'a commit and a uuid',
      'commit 5f4dcc3b5aa765d61d8327deb882cf99f2a1c0de session 0250d3ae-f647-48a6-bf09-d2de0a8df83f',
    ],
    ['a redacted text', 'password: [redacted: password] DB_PASSWORD=[redacted: password] Cookie: [redacted: cookie]'],
    ['a style', '.token-1a2b3c { color: red } --color-token: #a1b2c3d4; .sk-circle1 { key: frames }'],
    ['a word about a password', 'The password is required. The password is base64-encoded, or its hash is sha256.'],
    ['a word about settings', 'bucket, prefix and env/config credential sourcing. Use the token "identifier" here'],
    [
      'a sentence about signing in',
      'Login with password authentication; a login page password field, login then password recovery',
    ],
    [
      'a sentence about a default',
      'The default password should be changed. This machine needs password authentication.',
    ],
    ['a sentence about a key', 'The primary key is user_id, the sort key is createdAt2024 and the token is expired'],
    ['a table of names', '| token | description |\n|---|---|\n| secret_key | required |\n| password | string |'],
    [
      'words for a form',
      '{"password": "Passwort", "confirmPassword": "ConfirmPasswordField", "newPassword": "required"}',
    ],
    ['counts of tokens', 'min_token: a1b2c3d4e5f6g7h8 nextToken: "a1b2c3d4e5f6g7h8" page-token=a1b2c3d4e5f6g7h8'],
    ['a config map', 'kind: ConfigMap\ndata:\n  conf: aHVudGVyMg==\n'],
    ['an address in an address', 'https://h.example/login?next=https%3A%2F%2Fh.example%2Fa%3Ab'],
    ['a typed value', 'let token: Token = createToken(); const apiKey: string = config.get("apiKey1")'],
    [
      'names in code',
      'const token = createAuthTokenForUser; password: currentPasswordInput, secret = buildGitRunId; auth_token: parseJSONFromAPI',
    ],
    [
      'a sentence about a setting',
      'Set API_KEY to production, `token` to `accessToken2` and `key` is `Symbol(x)`; DB_PASSWORD is required here',
    ],
    [
      'declarations and assignments on lines of their own',
      'class User {\n  username: string;\n  password: string;\n  secret: String;\n  constructor() {\n    this.password = newPassword;\n    password = password2\n  }\n}\n+  passwd: str;\n',
    ],
    [
      'a variable that names itself',
      '{\n  password: hashedPassword1,\n  token: authToken2,\n}\npassword = password1\n',
    ],
    ['rules of a form', "'password' => 'required|string|min:8|confirmed',"],
    ['a fingerprint', 'ENV GPG_KEY A035C8C19219BA821ECEA86B64E628F8D684696D'],
    ['a price', '+ Monthly pass: $100/month\n* Monthly pass: $45.50\n'],
    ['what a program identified', 'the errors identified by `flake8`, scripts identified by SHA-256 hash'],
    ['a typed field', 'password: string = "", token: Token1 = x; `BASIC_AUTH=enabled NPM_AUTH=false`'],
    ['code about cookies', 'const cookies = parse(req.headers.cookie); document.cookie = name + "=" + value'],
  ])('%s', (_, text) => expect(find(text).map(({ from, to }) => text.slice(from, to))).toEqual([]));

  it.each([
    ['password', 'string'],
    ['token', 'next'],
    ['apiKey', 'user.apiKey'],
    ['sessionId', '0250d3ae-f647-48a6-bf09-d2de0a8df83f'],
    ['key', 'ArrowLeft1'],
  ])('the field %s: %s', (name, value) => expect(redactField(name, value)).toBe(value));
});

describe('hostile text', () => {
  it.each([
    '_key',
    'Q~',
    ':AA',
    'password=',
    'PASSWORD=',
    'password: ',
    'password="',
    "token:'",
    'curl -u ',
    '-u ',
    'Cookie: a=',
    'authorization:',
    '\\u0041',
    '&quot;',
    '\u001b[',
    '\u200b',
    '\uff1d',
    '--user a:',
    '"value": ',
    '.G',
    '-us',
    '0/',
    'pat',
    'Private-Lines: 1\n',
    '://a:',
    '\\',
    'IQoJb3JpZ2lu',
    'eyJ_',
    '*:*:*:',
    '-b ',
    '%3D',
    'token: >-\n',
    'kind: Secret\ndata:\n',
    '-n ',
    ' -a ',
    '--pass ',
    '<<<',
    '"d":"aaaaaaaaaaaaaaaaaaaaaa"',
    'machine 1 login 1 password 1234 ',
    'authorization: signature=aaaaaaaaaaaaaaaaaaaaaaaaa',
    '"name":"a","value":"',
    'secret: &a ',
    'echo a ',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----BEGIN PRIVATE KEY-----\na:',
    '"password":{"type":"a",',
    'API_KEY is ',
    'password = "a" -> ',
    'pdo("a", ',
    'vault login -a ',
    '://a1b2c3d4e5f6g7h8:',
    'prod:a-|',
    'password                                ',
  ])('costs little for each letter: %j', (unit) => {
    const time = (size: number): number => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      const before = process.cpuUsage();
      find(text);
      return process.cpuUsage(before).user / 1000;
    };
    time(50_000);
    const [one, four] = [time(250_000), time(1_000_000)];
    expect(four).toBeLessThan(12 * Math.max(one, 25));
  });
});
