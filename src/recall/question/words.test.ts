// Which words find what, through the public path: a real import and the search operation.
import { expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { search } from '../../operations/recall/search.ts';

/** Each text in a separate session. */
async function memoryOf(texts: readonly string[]): Promise<Memory> {
  const memory = await emptyMemory();
  for (const [i, text] of texts.entries())
    await tell(memory, `s${i}`, '/home/dev/app', '2026-10-01T10:00:00Z', [{ by: 'user', text }]);
  return memory;
}

const find = async (memory: Memory, query: string) =>
  (await search.run(memory.context, search.input.parse({ query }))).hits.map(({ id, snippet }) => ({
    text: Number(/^s(\d+)-/.exec(id)?.[1]),
    marked: [...snippet.matchAll(/«([^»]*)»/g)].map(([, word]) => word),
  }));

const names = [
  'Why does useAuthStore lose its state?',
  'It stops with ERR_MODULE_NOT_FOUND at once.',
  'The stack ends in src/auth/jwt.ts:42, no more is known.',
  'I call getHTTPResponse2 for that.',
  'Then kebab-case-name is set.',
  'Or some_snake_case is.',
  'It is declared as Foo::bar there.',
  'See window.location.pathname for it.',
  'We are on v4.17.3 by now.',
  'The store of the user is here, and his auth is elsewhere; use it.',
  'Nothing of interest, a plain sentence.',
];

it('finds a name by the whole and by its parts, and marks the match', async () => {
  const memory = await memoryOf(names);
  const cases: [query: string, text: number, mark: string][] = [
    ['useAuthStore', 0, 'useAuthStore'],
    ['useauthstore', 0, 'useAuthStore'],
    ['AuthStore', 0, 'AuthStore'],
    ['authstore', 0, 'AuthStore'],
    ['useauth', 0, 'useAuth'],
    ['use_auth_store', 0, 'useAuthStore'],
    ['use-auth-store', 0, 'useAuthStore'],
    ['what is (`use-auth-store`)?', 0, 'useAuthStore'],
    ['ERR_MODULE_NOT_FOUND', 1, 'ERR_MODULE_NOT_FOUND'],
    ['module not found', 1, 'MODULE'],
    ['errModuleNotFound', 1, 'ERR_MODULE_NOT_FOUND'],
    ['src/auth/jwt.ts:42', 2, 'src/auth/jwt.ts:42'],
    ['src/auth/jwt.ts:7:1', 2, 'src/auth/jwt.ts'],
    ['/home/dev/app/src/auth/jwt.ts', 2, 'src/auth/jwt.ts'],
    ['jwt.ts', 2, 'jwt.ts'],
    ['jwt', 2, 'jwt'],
    ['getHTTPResponse2', 3, 'getHTTPResponse2'],
    ['http response', 3, 'HTTPResponse'],
    ['HttpResponse', 3, 'HTTPResponse'],
    ['httpresponse', 3, 'HTTPResponse'],
    ['kebab-case-name', 4, 'kebab-case-name'],
    ['kebabCaseName', 4, 'kebab-case-name'],
    ['kebab', 4, 'kebab'],
    ['some_snake_case', 5, 'some_snake_case'],
    ['snake', 5, 'snake'],
    ['snakeCase', 5, 'snake_case'],
    ['Foo::bar', 6, 'Foo::bar'],
    ['bar', 6, 'bar'],
    ['window.location.pathname', 7, 'window.location.pathname'],
    ['location.pathname', 7, 'location.pathname'],
    ['v4.17.3', 8, 'v4.17.3'],
    ['4.17.3', 8, '17.3'],
    ['4.17', 8, '17'],
  ];
  for (const [query, text, mark] of cases) {
    const [first] = await find(memory, query);
    expect(first?.text, query).toBe(text);
    expect(first?.marked, query).toContain(mark);
  }
});

it('puts the whole name before its separate parts', async () => {
  const memory = await memoryOf(names);
  expect((await find(memory, 'useAuthStore')).map(({ text }) => text)[0]).toBe(0);
  expect((await find(memory, 'auth store')).map(({ text }) => text)).toEqual([0, 9, 2]);
});

it('falls back to the parts of a name that occurs nowhere', async () => {
  const memory = await memoryOf(names);
  expect((await find(memory, 'authStoreUser')).map(({ text }) => text).sort()).toEqual([0, 2, 9]);
  expect((await find(memory, 'plain-interest')).map(({ text }) => text)).toEqual([10]);
});

it('keeps phrases word for word beside names', async () => {
  const memory = await memoryOf(names);
  expect((await find(memory, '"useAuthStore lose its"')).map(({ text }) => text)).toEqual([0]);
  expect(await find(memory, '"state use"')).toEqual([]);
});

const languages: [language: string, text: string, queries: string[]][] = [
  [
    'Chinese',
    '我们决定放弃重试队列，因为数据库连接池总是超时。',
    ['重试队列', '数据库', '连接池超时', '为什么放弃重试队列', '连接'],
  ],
  [
    'Japanese',
    'データベースの接続がタイムアウトしたので、サーバーを再起動しました。',
    ['データベース', '接続', 'サーバー 再起動', 'ｻｰﾊﾞｰ', 'でーたべーす', 'なぜサーバーを再起動しましたか'],
  ],
  [
    'Korean',
    '데이터베이스에서 연결이 끊겨서 재시도 대기열을 삭제했습니다.',
    [
      '데이터베이스',
      '데이터베이스를',
      '연결',
      '연결을 확인하는',
      '대기열은',
      '삭제한다',
      '데이터베이스'.normalize('NFD'),
    ],
  ],
  [
    'German',
    'Die Verbindungen zur Datenbank brachen ab, weil Herr Müller in der Hauptstraße die Schlüssel gelöscht hat.',
    [
      'Verbindungen',
      'Wo ist die Verbindung geblieben',
      'Datenbanken mit Fehlern',
      'Mueller',
      'Müllers Schlüssel',
      'Hauptstrasse',
      'HAUPTSTRASSE',
      'wer hat den Schluessel',
    ],
  ],
  [
    'Russian',
    'Подключение к базе данных обрывалось, поэтому мы удалили очередь повторов и ещё ёлку.',
    ['подключения', 'подключением', 'подключить', 'база', 'почему удалить очереди', 'повторы', 'еще елка', 'ЁЛКА'],
  ],
  ['wide letters', 'The ＡＰＩ gives ４０４ here.', ['api', '404']],
];

it.each(languages)('finds %s text by words of the language, and marks them', async (_, text, queries) => {
  const memory = await memoryOf([
    'An English sentence about databases and queues.',
    text,
    'Ein zweiter Text, 别的, другое.',
  ]);
  for (const query of queries) {
    const [first] = await find(memory, query);
    expect(first?.text, query).toBe(1);
    expect(first?.marked.length, query).toBeGreaterThan(0);
  }
});
