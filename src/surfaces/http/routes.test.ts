// Every route answers as the OpenAPI document says, and the document describes every route.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openStand, type Stand, session } from '../../../test/http-stand.ts';
import { planningWith } from '../../../test/job-rules.ts';
import { memoryId } from '../../distill/memory/memories-on.ts';
import { plainTarget } from '../../distill/memory/place.ts';
import { operations } from '../../operations/index.ts';
import { ApiError } from '../../schema/api-error.ts';
import { Change } from '../../schema/change.ts';
import { LiveEvent } from '../../schema/live-event.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

// biome-ignore lint/suspicious/noExplicitAny: the input of each operation is another
const operationNamed = (name: string): { run(context: unknown, input: unknown): Promise<any> } => {
  const found = operations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found as never;
};

/** Values for required fields; add those of a new route here. */
const remembered = 'Deploys happen on Tuesdays';
const examples: Readonly<Record<string, unknown>> = {
  dryRun: true,
  yes: true,
  print: true,
  ids: session,
  id: session,
  query: 'checkout',
  q: 'checkout',
  project: '/srv/shop',
  from: '/srv/shop',
  to: '/srv/store',
  sessionId: 'editor-1',
  tool_name: 'Edit',
  isProcessing: true,
  session_id: session,
  hook_event_name: 'Stop',
  text: remembered,
  name: 'core/facts',
  memory: memoryId('core/facts.md', plainTarget(remembered), remembered),
  release: true,
  keep: 1,
  group: 'tide',
  session: 'not-known-yet',
  job: 1,
  key: 'budget.tokensPerDay',
  value: '1000',
  prompt: 'look at the gauge',
  every: '30m',
  tags: ['release'],
  projects: '/srv/shop,/srv/shop',
};
/** Values for routes that need another one. */
const exceptions: Readonly<Record<string, unknown>> = {
  'POST /api/groups/{group}/resume id': 'earlier',
  'GET /api/original id': '10000000-0000-4000-8000-000000000000',
  'GET /api/conversations/show id': 1,
  'GET /api/tasks/show id': 1,
  'POST /api/tasks/pause id': 1,
  'POST /api/tasks/resume id': 1,
  'POST /api/tasks/cancel id': 1,
};

type Json = Record<string, unknown>;
interface Described extends Json {
  operationId: string;
  security: Json[];
  parameters: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { content: { 'application/json': { schema: { properties: Json; required?: string[] } } } };
  responses: Record<string, { content: Record<string, { schema: Json }> }>;
}

/** A group with a session that can be resumed, and a task. */
async function withGroup({ holdfast, post, tokens }: Stand): Promise<void> {
  await post('/api/groups/create', { group: 'tide' }, tokens.full);
  await post('/api/tasks/add', { group: 'tide', prompt: 'look', every: '1h' }, tokens.full);
  const folder = path.join(holdfast.config.agentHomesPath, 'tide', '.claude', 'projects', '-workspace-group');
  mkdirSync(folder, { recursive: true });
  const line = { type: 'user', uuid: 'g1', sessionId: 'earlier', timestamp: '2026-05-01T12:00:00Z' };
  writeFileSync(path.join(folder, 'earlier.jsonl'), `${JSON.stringify({ ...line, message: { content: 'Hello' } })}\n`);
}

async function described(): Promise<{ key: string; path: string; method: string; is: Described }[]> {
  const { json } = await stand.get('/api/openapi.json');
  return Object.entries(json.paths as Record<string, Record<string, Described>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, is]) => ({ key: `${method.toUpperCase()} ${path}`, path, method, is })),
  );
}

describe('the OpenAPI document', () => {
  it('describes exactly the routes that are there, each once', async () => {
    const spoken = stand.server.routes.filter(({ speak, type }) => speak === undefined && type !== 'page');
    const routes = spoken.map(({ method, path }) => `${method} ${path}`);
    expect((await described()).map(({ key }) => key).sort()).toEqual([...routes].sort());
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('contains every operation that is offered over HTTP', async () => {
    const paths = new Set((await described()).map((one) => one.path));
    for (const { name, surfaces, http } of operations)
      if (surfaces.includes('http')) expect(paths).toContain(http?.path ?? `/api/${name.replaceAll(' ', '/')}`);
  });

  it('is well formed', async () => {
    const { json } = await stand.get('/api/openapi.json');
    expect(json).toMatchObject({ openapi: '3.1.0', info: { title: 'Holdfast', version: expect.any(String) } });
    const all = await described();
    expect(new Set(all.map(({ is }) => is.operationId)).size).toBe(all.length);
    for (const { key, path, method, is } of all) {
      expect(is, key).toMatchObject({ summary: expect.any(String), operationId: expect.stringMatching(/^[A-Za-z]+$/) });
      const inPath = is.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(inPath, key).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(is.requestBody !== undefined, key).toBe(method === 'post');
      for (const [name] of is.security.flatMap(Object.entries))
        expect(json.components.securitySchemes).toHaveProperty(name);
      expect(Object.keys(is.responses), key).toEqual([expect.stringMatching(/^20[02]$/), 'default']);
    }
    for (const [, target = ''] of JSON.stringify(json).matchAll(/"\$ref":"#\/([^"]+)"/g))
      expect(
        target.split('/').reduce((at, step) => at?.[step], json),
        target,
      ).toBeDefined();
    expect(JSON.stringify(json)).not.toContain(stand.tokens.full);
  });

  it('tells the truth: every route answers as described', async () => {
    // Some of them change things, and one deletes the session that the others ask for.
    const own = await openStand();
    await withGroup(own);
    await own.holdfast.store.jobs.plan(Date.now(), planningWith(1));
    const isDelete = ({ key }: { key: string }) => /\/(delete|memory\/forget)$/.test(key);
    for (const { key, path, method, is } of (await described()).toSorted(
      (a, b) => Number(isDelete(a)) - Number(isDelete(b)),
    )) {
      const route = own.server.routes.find((candidate) => `${candidate.method} ${candidate.path}` === key);
      const [status = ''] = Object.keys(is.responses);
      const [type = ''] = Object.keys(is.responses[status]?.content ?? {});
      if (route === undefined || type === 'text/event-stream') continue;
      const value = (name: string) => {
        expect(examples, `${key} needs an example of ${name}`).toHaveProperty([name]);
        return exceptions[`${key} ${name}`] ?? examples[name];
      };
      const url = path.replace(/\{(\w+)\}/g, (_, name) => String(value(name)));
      // A search needs words or a file, which no schema of parameters can express.
      const isWanted = (name: string, required: boolean) => required || (key === 'GET /api/search' && name === 'q');
      const query = is.parameters.filter(
        (parameter) => parameter.in === 'query' && isWanted(parameter.name, parameter.required),
      );
      const search = new URLSearchParams(
        Object.fromEntries(query.map(({ name }) => [name, String(value(name))])),
      ).toString();
      // What a terminal would ask the person.
      const more: Record<string, string[]> = {
        '/api/forget': ['dryRun'],
        '/api/resume': ['print'],
        '/api/sessions/delete': ['yes'],
        '/api/sessions/purge': ['keep', 'dryRun'],
        '/api/groups/remove': ['dryRun'],
        '/api/memory/forget': ['yes'],
        '/api/memory/edit': ['text'],
        '/api/memory/revert': ['release'],
        '/api/tasks/add': ['every'],
      };
      const required = is.requestBody?.content['application/json'].schema.required ?? [];
      const fields = [...required, ...(more[path] ?? [])];
      const body = Object.fromEntries(fields.map((name) => [name, value(name)]));
      const answer =
        method === 'get'
          ? await own.get(search === '' ? url : `${url}?${search}`)
          : await own.post(url, body, own.tokens.full);
      expect([key, answer.status, answer.body.slice(0, 300)]).toEqual([key, Number(status), expect.any(String)]);
      expect(answer.head, key).toContain(`content-type: ${type}; charset=utf-8`);
      const given = type === 'application/json' ? answer.json : answer.body;
      expect(route.output.safeParse(given), key).toMatchObject({ success: true });
    }
    await own.close();
  });
});

describe('docs/http.md', () => {
  it('names only addresses that exist', () => {
    const page = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8');
    const paths = stand.server.routes.map(({ path }) => path);
    const named = [...page.matchAll(/(?<=[`7 ])\/api\/[\w/.{}-]+/g)].map(([path]) => path);
    expect(named.length).toBeGreaterThan(10);
    for (const path of named) expect(paths).toContain(path);
  });
});

describe('answers', () => {
  it('health is open and only identifies the worker', async () => {
    const { json } = await stand.get('/api/health', '');
    expect(json).toEqual({ ok: true, name: 'holdfast', version: expect.any(String), pid: process.pid });
  });

  it('search answers as the command line does, with q or query', async () => {
    const expected = await operations
      .find(({ name }) => name === 'search')
      ?.run(stand.holdfast.context, { query: 'race', kind: 'session', limit: 3, subagents: false } as never);
    for (const name of ['q', 'query'])
      expect((await stand.get(`/api/search?${name}=race&kind=session&limit=3&project=`)).json).toEqual(expected);
    const elsewhere = await stand.get('/api/search?q=race&project=elsewhere');
    expect(elsewhere.status).toBe(404);
    expect(JSON.stringify(elsewhere.json)).toContain('elsewhere');
    expect((await stand.get('/api/search?q=race&query=race')).status).toBe(400);
  });

  it('a session is shown by the beginning of its id, and an unknown id is an error', async () => {
    expect((await stand.get(`/api/sessions/${session.slice(0, 8)}`)).json.entries).toHaveLength(2);
    const { status, json } = await stand.get('/api/sessions/zzz');
    expect(status).toBe(404);
    expect(ApiError.safeParse(json)).toMatchObject({ success: true });
    expect((await stand.get('/api/sessions')).json.sessions).toHaveLength(1);
  });

  it('a field that is missing is named', async () => {
    const { status, json } = await stand.get('/api/get');
    expect([status, json.error.message, json.error.hint]).toEqual([
      400,
      'ids is missing',
      expect.stringContaining('openapi'),
    ]);
  });

  it('a search wants words or a file', async () => {
    const { status, json } = await stand.get('/api/search');
    expect([status, json.error.message]).toEqual([400, 'The query is empty']);
    expect((await stand.get('/api/search?file=src/nowhere.ts')).json).toEqual({ hits: [] });
    const stars = await stand.get('/api/search?q=***');
    expect([stars.status, stars.json.error.message]).toEqual([400, 'There is nothing to search for in "***"']);
  });

  it('the briefing is Markdown, and records what a session was given', async () => {
    const url = '/api/context/inject?project=%2Fsrv%2Fshop';
    const { head, body } = await stand.get(url);
    expect(head).toContain('content-type: text/markdown');
    expect(body).toContain('checkout');
    expect(await stand.holdfast.store.briefings.list({ limit: 10 })).toEqual([]);
    expect((await stand.get(`${url}&session=new&source=no-such-reason`)).body).toBe(body);
    expect((await stand.get('/api/briefing?given=new')).json.given).toMatchObject([
      { agent: 'claude-code', session: 'new', source: 'startup', text: body },
    ]);
    expect((await stand.get('/api/context/inject?project=%2Felsewhere&session=new')).body).toBe('');
    expect((await stand.get('/api/context/inject')).status).toBe(400);
  });

  it('must not be cached, sniffed or embedded elsewhere', async () => {
    const { head } = await stand.get('/api/projects');
    for (const line of [
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      'cross-origin-resource-policy: same-origin',
    ])
      expect(head).toContain(line);
  });

  it('an unexpected error is reported without its stack, and logged', async () => {
    const broken = await openStand();
    await broken.holdfast.store.close();
    const { status, json } = await broken.get('/api/projects');
    expect(status).toBeGreaterThanOrEqual(500);
    expect(ApiError.safeParse(json)).toMatchObject({ success: true });
    expect(JSON.stringify(json)).not.toMatch(/\.ts:\d|at .*\(/);
    expect(broken.logged.join()).toContain('GET /api/projects');
    await broken.close().catch(() => {});
  });
});

describe('over-long values', () => {
  const lengths = [256, 300, 5000, 12_000];

  it('are refused with a message, without a path of this machine, and are not logged', async () => {
    const own = await openStand();
    await withGroup(own);
    const answers: [string, number][] = [];
    const check = (key: string, { status, body }: { status: number; body: string }) => {
      answers.push([key, status]);
      expect([key, status < 500]).toEqual([key, true]);
      expect([key, body.includes(process.cwd()) || body.includes('ENAMETOOLONG')]).toEqual([key, false]);
    };
    for (const { method, path: template, input, access, type, speak } of own.server.routes) {
      if (access === 'open' || type === 'text/event-stream' || type === 'page' || speak !== undefined) continue;
      for (const [field, of] of Object.entries(input.shape)) {
        if (!JSON.stringify(z.toJSONSchema(of as z.ZodType, { unrepresentable: 'any' })).includes('"string"')) continue;
        for (const length of lengths) {
          const value = (name: string) => (name === field ? 'x'.repeat(length) : (examples[name] ?? 'x'));
          const url = template.replace(/\{(\w+)\}/g, (_, name) => String(value(name)));
          const inPath = template.includes(`{${field}}`);
          const key = `${method} ${template} ${field} ${length}`;
          if (method === 'GET') check(key, await own.get(inPath ? url : `${url}?${field}=${value(field)}`));
          else check(key, await own.post(url, inPath ? {} : { dryRun: true, [field]: value(field) }, own.tokens.full));
        }
      }
    }
    expect(answers.length).toBeGreaterThan(300);
    for (const [key, status] of answers)
      if (/ (?:project|id) /.test(key) && !key.includes('{id}')) expect([key, status]).toEqual([key, 400]);
    expect(own.logged.join('\n').length).toBeLessThan(10_000);
    await own.close();
  });
});

describe('a client without a transcript', () => {
  it('11. reports its session from the first prompt to the end', async () => {
    const sessionId = 'editor-42';
    const seen: unknown[] = [];
    const stop = stand.events.subscribe((event) => seen.push(event.state ?? event.isProcessing));
    const init = (userPrompt: string) =>
      stand.post('/api/sessions/init', { sessionId, project: '/srv/shop', userPrompt });
    expect((await init('Rename it')).json).toEqual({ session: sessionId, promptNumber: 1 });
    expect((await init('And test it')).json).toEqual({ session: sessionId, promptNumber: 2 });
    const use = {
      sessionId,
      tool_name: 'Edit',
      tool_input: { file_path: 'a.ts' },
      tool_response: 'done',
      cwd: '/srv/shop',
    };
    expect((await stand.post('/api/sessions/observations', use)).json).toEqual({ stored: true });
    expect((await stand.post('/api/sessions/observations', { ...use, tool_name: 'TodoWrite' })).json).toEqual({
      stored: false,
    });
    await stand.post('/api/processing', { sessionId, isProcessing: true });
    const last = { last_user_message: 'And test it', last_assistant_message: 'Renamed and tested.' };
    expect((await stand.post('/api/sessions/summarize', { sessionId, ...last })).json).toEqual({ ok: true });
    expect((await stand.post('/api/sessions/complete', { sessionId, reason: 'exit' })).json).toEqual({
      ok: true,
    });
    stop();
    expect(seen).toEqual(['active', 'active', true, 'summarizing', 'completed']);
  });

  it('may name its session as earlier versions did, but not by both names', async () => {
    const before = { claudeSessionId: 'editor-43', userPrompt: 'Rename it' };
    expect((await stand.post('/api/sessions/init', before)).json).toEqual({ session: 'editor-43', promptNumber: 1 });
    const both = await stand.post('/api/sessions/init', { ...before, sessionId: 'editor-44' });
    expect([both.status, both.json]).toEqual([400, { error: expect.objectContaining({ code: 'BAD_INPUT' }) }]);
    expect(JSON.stringify(both.json)).toContain('claudeSessionId is an older name of sessionId');
    const neither = await stand.post('/api/sessions/init', { userPrompt: 'Rename it' });
    expect(JSON.stringify(neither.json)).toContain('sessionId is missing');
  });
});

it('7. the summary of a client’s session says what was answered last, without what was put into it', async () => {
  const sessionId = 'editor-7';
  const reminder = '<system-reminder>\nMind the tide table.\n</system-reminder>';
  await stand.post('/api/sessions/init', {
    sessionId,
    project: '/srv/shop',
    userPrompt: `${reminder}Move the harbour lights to the north pier`,
  });
  await stand.post('/api/sessions/observations', {
    sessionId,
    tool_name: 'Edit',
    tool_input: { file_path: '/srv/shop/lights.ts' },
    tool_response: 'done',
  });
  await stand.post('/api/sessions/summarize', {
    sessionId,
    last_user_message: `Move the harbour lights to the north pier${reminder}`,
    last_assistant_message: `${reminder}I moved the harbour lights to the north pier and checked the lanterns.`,
  });
  await stand.post('/api/sessions/complete', { sessionId, reason: 'exit' });
  const { context } = stand.holdfast;
  await operationNamed('ingest').run(context, { reimport: false });
  await operationNamed('process').run(context, {
    all: false,
    again: false,
    dryRun: false,
    due: false,
    session: sessionId,
  });
  const { json } = await stand.get(`/api/summaries?session=${sessionId}`, stand.tokens.full);
  expect(json.summaries).toHaveLength(1);
  const told = JSON.stringify(json.summaries[0]);
  expect(told).toContain('harbour lights');
  expect(told).toContain('checked the lanterns');
  expect(told).not.toContain('tide table');
});

it('an HTTP request never runs an agent', async () => {
  const { status, json } = await stand.post('/api/resume', { session }, stand.tokens.full);
  expect([status, json.error.message]).toEqual([400, 'An agent can only run in a terminal']);
});

describe('live events', () => {
  /** Reads the stream until it has this many events. */
  async function listen(count: number, then: () => void) {
    const response = await fetch(`http://127.0.0.1:${stand.server.port}/api/events`, {
      headers: { authorization: `Bearer ${stand.tokens.full}` },
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    then();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while ((text.match(/^data: /gm) ?? []).length < count)
      text += new TextDecoder().decode((await reader.read()).value);
    return { text, leave: () => reader.cancel() };
  }

  it('reach all listeners, in order', async () => {
    const publish = () => stand.events.publish({ kind: 'entries', added: 3, session });
    const { text, leave } = await listen(2, () => {
      publish();
      publish();
    });
    const events = text.split('\n\n').filter((part) => part.startsWith('data: '));
    for (const event of events)
      expect(LiveEvent.parse(JSON.parse(event.slice(6)))).toMatchObject({ kind: 'entries', added: 3, session });
    await leave();
    publish();
    expect((await stand.get('/api/health')).status).toBe(200);
  });

  /** What a listener gets: from a number on, until there are this many changes. */
  async function changes(own: Stand, after: number | undefined, count: number) {
    const headers = {
      authorization: `Bearer ${own.tokens.full}`,
      ...(after === undefined ? {} : { 'last-event-id': String(after) }),
    };
    const { body } = await fetch(`http://127.0.0.1:${own.server.port}/api/events`, { headers });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const heard = () =>
      [...text.matchAll(/^event: change\nid: (\d+)\ndata: (.*)\n\n/gm)].map(([, id, data]) => {
        const change = Change.parse(JSON.parse(data as string));
        expect(change.seq).toBe(Number(id));
        return change;
      });
    while (heard().length < count) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    return heard();
  }

  it('continue after the last number seen, even at a restarted worker', async () => {
    const own = await openStand();
    const say = (session: string, status: 'start' | 'prompt') =>
      own.holdfast.store.sessions.note({ agent: 'claude-code', session, event: status, at: Date.now() });
    const all = await changes(own, 0, 1);
    expect(all).toEqual([{ seq: expect.any(Number), kind: 'entries', agent: 'claude-code', session }]);
    const seen = all.at(-1)?.seq as number;
    await say('one', 'start');
    await say('two', 'start');
    const first = await changes(own, seen, 2);
    expect(first.map(({ kind, session }) => [kind, session])).toEqual([
      ['state', 'one'],
      ['state', 'two'],
    ]);
    await own.server.close();
    // While no worker was serving.
    await say('one', 'prompt');
    const again = await own.restart();
    const missed = await changes(again, first[0]?.seq, 2);
    // Each once; if something changed twice, the last change.
    expect(missed.map(({ session }) => session)).toEqual(['two', 'one']);
    await again.close();
  });

  it('include what another process has written, without a notification', async () => {
    const own = await openStand();
    const after = await own.holdfast.store.changes.last();
    const heard = changes(own, after, 1);
    const other = await openSqliteStore(own.holdfast.config.databasePath);
    await other.sessions.note({ agent: 'pi', session: 'elsewhere', event: 'start', at: Date.now() });
    await other.close();
    expect(await heard).toMatchObject([{ kind: 'state', agent: 'pi', session: 'elsewhere' }]);
    await own.close();
  });

  it('start over for a client with a number that was never given', async () => {
    const { body } = await fetch(`http://127.0.0.1:${stand.server.port}/api/events?after=999999`, {
      headers: { authorization: `Bearer ${stand.tokens.full}` },
    });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('event: reset')) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
  });

  it('come with a heartbeat, and end when the worker stops', async () => {
    const own = await openStand({ heartbeatMs: 20 });
    const bytes = `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${own.server.port}\r\nAuthorization: Bearer ${own.tokens.full}\r\n\r\n`;
    let closing: Promise<void> | undefined;
    const answer = await own.raw(bytes, (socket) => {
      let got = '';
      socket.on('data', (data) => {
        got += data;
        if ((got.match(/: still here/g) ?? []).length === 2) closing ??= own.close();
      });
    });
    await closing;
    expect(answer).toMatchObject({ status: 200, closed: true });
  });
});
