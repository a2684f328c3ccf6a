// Statements 19 and 20 of groups: one group tries to reach another's sessions, and the person's, through every surface. Each attempt is
// counted and must fail. Afterwards the other group is unchanged.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homeSources } from '../../src/capture/group-sources.ts';
import { ingest } from '../../src/capture/ingest.ts';
import { ingestSources } from '../../src/capture/ingest-sources.ts';
import { fillVault } from '../../src/capture/vault/vault.ts';
import { groupToken, openTokens } from '../../src/processes/access/tokens.ts';
import type { Group } from '../../src/schema/group.ts';
import { liveEvents } from '../../src/schema/live-event.ts';
import { type GroupSessions, openGroup } from '../../src/sessions/groups/groups.ts';
import { startHttp } from '../../src/surfaces/http/server.ts';
import { groupInstructions, groupOperations } from '../../src/surfaces/mcp/group.ts';
import { type GroupStand, groupStand } from '../group-stand.ts';
import { mcpClient } from '../mcp-client.ts';

const secret = { reef: 'xylophone', person: 'zeppelin' };
const inside = 'quarterdeck';

let stand: GroupStand;
let tide: GroupSessions;
let reef: GroupSessions;
/** The victim's bookmark, the session that it left, its active session, and the person's own. */
let ids: { mark: number; left: string; active: string; person: string };
let before: unknown;
let attempts = 0;

const line = (session: string, uuid: string, text: string) =>
  `${JSON.stringify({
    ...{ parentUuid: null, isSidechain: false, sessionId: session, cwd: '/workspace/group', type: 'user', uuid },
    ...{ message: { role: 'user', content: text }, timestamp: '2026-05-01T12:00:00.000Z' },
  })}\n`;

function write(folder: string, session: string, ...texts: string[]): string {
  const file = path.join(folder, `${session}.jsonl`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, texts.map((text, i) => line(session, `${session}-${i}`, text)).join(''));
  return file;
}

const transcripts = (group: GroupSessions) =>
  path.join(group.folders.agentHome, '.claude', 'projects', '-workspace-group');

async function stateOfOthers() {
  const { store } = stand.holdfast;
  const sessions = [ids.left, ids.active, ids.person];
  return {
    pointer: await reef.pointer(),
    history: await reef.bookmarks(),
    archives: fs.readdirSync(reef.folders.conversations),
    said: await Promise.all(sessions.map((session) => store.entries.transcript('claude-code', session))),
    owners: await Promise.all(sessions.map((session) => store.groups.of({ agent: 'claude-code', session }))),
    files: fs.readdirSync(transcripts(reef)).sort(),
  };
}

/** Fails unless the attempt is refused, or answers without a word of the others. */
async function attempt(what: string, run: () => Promise<unknown>): Promise<void> {
  attempts++;
  let said: string;
  try {
    said = JSON.stringify(await run()) ?? '';
  } catch (error) {
    said = String((error as Error).message);
  }
  for (const word of [...Object.values(secret), 'Of the reef', 'reef-left', 'reef-active'])
    if (!what.includes(word)) expect(said, what).not.toContain(word);
}

beforeEach(async () => {
  attempts = 0;
  stand = await groupStand();
  [tide, reef] = [await stand.group('tide'), await stand.group('reef')];
  await stand.group('main');
  ids = { mark: 0, left: 'reef-left', active: 'reef-active', person: 'person-own' };
  write(transcripts(reef), ids.left, `the ${secret.reef} is out of tune`);
  write(transcripts(reef), ids.active, `another ${secret.reef}`);
  write(path.join(stand.folder, '.claude', 'projects', '-srv-notes'), ids.person, `my ${secret.person}`);
  write(transcripts(tide), 'tide-own', `the ${inside} is swept`);
  await ingest(stand.holdfast.context, {});
  await fillVault(stand.holdfast.context, { quietMs: 0 });
  await reef.activate(ids.left);
  ids.mark = (await reef.clear('Of the reef')).bookmark?.id as number;
  await reef.activate(ids.active);
  await reef.snapshot();
  await tide.activate('tide-own');
  before = await stateOfOthers();
});
afterEach(async () => {
  expect(await stateOfOthers()).toEqual(before);
  await stand.end();
});

describe('19: through the library, a group', () => {
  it('cannot name another’s sessions, bookmarks or words', async () => {
    for (const id of [ids.left, ids.active, ids.person]) {
      await attempt(`set ${id}`, () => tide.activate(id));
      await attempt(`set ${id} under the epoch`, async () =>
        tide.activate(id, { epoch: (await tide.pointer()).epoch }),
      );
      await attempt(`resume ${id}`, () => tide.resume(id));
      await attempt(`resume ${id}, saving`, () => tide.resume(id, 'x'));
      await attempt(`lost ${id}`, () => tide.reportLost(id, 'missing'));
      expect(await tide.current()).toBe('tide-own');
    }
    for (const id of [ids.mark, -1, 0, ids.mark + 0.5, Number.NaN]) {
      await attempt(`resume ${id}`, () => tide.resume(id));
      await attempt(`restore ${id}`, () => tide.switchTo(id));
    }
    const both = `${secret.reef} ${secret.person} ${inside}`;
    for (const query of [secret.reef, secret.person, `"${secret.reef}"`, both, '* OR reef', 'reef-left'])
      await attempt('search', () => tide.search(query, 100));
    expect((await tide.search(secret.reef)).length).toBe(0);
    expect((await tide.search(inside)).map(({ session }) => session)).toEqual(['tide-own']);
    await attempt('history', () => tide.bookmarks());
    await attempt('snapshot', async () => {
      const { history, tasks } = await tide.snapshot();
      return [fs.readFileSync(history, 'utf8'), fs.readFileSync(tasks, 'utf8'), fs.readdirSync(tide.folders.snapshots)];
    });
    for (const name of ['../reef', 'tide/../reef', 'Reef', 'reef ', './reef', '', 'reef\0'])
      await attempt(`open ${name}`, async () => {
        await openGroup(stand.deps, name);
        return secret.reef;
      });
    expect(attempts).toBe(15 + 10 + 6 + 2 + 7);
  });

  it('cannot import another’s sessions through transcripts that it writes or links', async () => {
    const { store } = stand.holdfast;
    const folder = transcripts(tide);
    const held = fs.readFileSync(path.join(transcripts(reef), `${ids.active}.jsonl`), 'utf8');
    const plant: [string, () => void][] = [
      ['another’s session under its own name', () => write(folder, ids.active, 'forged')],
      [
        'lines that name another’s session',
        () => fs.writeFileSync(path.join(folder, 'a.jsonl'), line(ids.left, 'n1', 'forged')),
      ],
      [
        'lines that name the person’s',
        () => fs.writeFileSync(path.join(folder, 'b.jsonl'), line(ids.person, 'n2', 'forged')),
      ],
      [
        'ids of another’s entries',
        () => fs.writeFileSync(path.join(folder, 'c.jsonl'), line('c', 'reef-active-0', 'forged')),
      ],
      ['a copy of another’s transcript', () => fs.writeFileSync(path.join(folder, 'd.jsonl'), held)],
      [
        'a link to another’s transcript',
        () => fs.symlinkSync(path.join(transcripts(reef), `${ids.active}.jsonl`), path.join(folder, 'e.jsonl')),
      ],
      ['a link to another’s folder', () => fs.symlinkSync(transcripts(reef), path.join(folder, 'f'))],
      [
        'a link to the person’s folder',
        () => fs.symlinkSync(path.join(stand.folder, '.claude', 'projects'), path.join(folder, 'g')),
      ],
    ];
    // Written after the last scan of the person's folder, so Holdfast does not know it yet.
    write(path.join(stand.folder, '.claude', 'projects', '-srv-new'), 'person-new', `a new ${secret.person}`);
    for (const [what, run] of plant) {
      run();
      await attempt(what, async () => {
        await stand.deps.takeIn?.('tide');
        return [
          await tide.search(secret.reef, 100),
          await tide.search(secret.person, 100),
          await tide.search('forged', 100),
        ];
      });
      expect(await stateOfOthers(), what).toEqual(before);
    }
    await ingest(stand.holdfast.context, {});
    expect(await store.groups.of({ agent: 'claude-code', session: 'person-new' })).toBeUndefined();
    expect((await store.sessions.list({ group: 'tide' })).map(({ id }) => id)).toEqual(['tide-own']);
    expect(attempts).toBe(8);
  });

  it.each(['link', 'pipe'])(
    'cannot import another’s sessions through a %s that it puts there after the check',
    async (what) => {
      const { config, store, context } = stand.holdfast;
      const own = write(transcripts(tide), 'tide-new', 'swept '.repeat(200));
      const { sources } = await homeSources(config, 'tide');
      fs.rmSync(own);
      // Holdfast has not imported it yet, so it does not know the owner.
      const away = path.join(stand.folder, 'person-new.jsonl');
      fs.writeFileSync(away, line('person-new', 'p1', secret.person).repeat(20));
      if (what === 'link') fs.symlinkSync(away, own);
      else execFileSync('mkfifo', [own]);
      await attempt('a transcript that was exchanged', async () => {
        await ingestSources(context, sources, false);
        return tide.search(secret.person, 100);
      });
      expect(await store.groups.of({ agent: 'claude-code', session: 'person-new' })).toBeUndefined();
    },
    10_000,
  );

  it('cannot redirect writes with links in its own folders', async () => {
    const away = (target: string, link: string) => {
      fs.rmSync(link, { recursive: true, force: true });
      fs.symlinkSync(target, link);
    };
    await attempt('archives into another’s folder', async () => {
      away(reef.folders.conversations, tide.folders.conversations);
      return tide.clear('Swept');
    });
    await attempt('a transcript put back into another’s folder', async () => {
      fs.rmSync(transcripts(tide), { recursive: true });
      away(transcripts(reef), transcripts(tide));
      return stand.deps.ready('tide', { agent: 'claude-code', session: 'tide-own' });
    });
    await attempt('skills and settings into another’s home', async () => {
      fs.mkdirSync(path.join(stand.home, 'skills', 'weather'), { recursive: true });
      fs.writeFileSync(path.join(stand.home, 'skills', 'weather', 'SKILL.md'), 'rain');
      away(path.join(reef.folders.agentHome, '.claude'), path.join(tide.folders.agentHome, '.claude'));
      tide.prepare();
    });
    expect(fs.existsSync(path.join(reef.folders.agentHome, '.claude', 'skills', 'weather'))).toBe(false);
    expect(attempts).toBe(3);
  });

  it('cannot make the vault read or write elsewhere with links in its own folders', async () => {
    const { context } = stand.holdfast;
    const own = write(transcripts(tide), 'tide-long', 'swept '.repeat(200));
    await stand.deps.takeIn?.('tide');
    const theirs = write(transcripts(reef), 'reef-long', ...Array(20).fill(secret.reef));
    await attempt('another’s transcript as a copy of its own', async () => {
      fs.rmSync(own);
      fs.symlinkSync(theirs, own);
      await fillVault(context, { quietMs: 0 });
      fs.rmSync(own);
      await stand.deps.ready('tide', { agent: 'claude-code', session: 'tide-long' });
      return fs.existsSync(own) ? fs.readFileSync(own, 'utf8') : '';
    });
    fs.rmSync(theirs);
    const precious = path.join(stand.folder, 'precious');
    fs.writeFileSync(precious, 'as it was');
    const kept = path.join(transcripts(tide), 'tide-own.jsonl');
    await attempt('a transcript put back into a file of the person’s', async () => {
      fs.rmSync(kept);
      fs.symlinkSync(precious, `${kept}.${process.pid}.restoring`);
      return stand.deps.ready('tide', { agent: 'claude-code', session: 'tide-own' });
    });
    expect(fs.readFileSync(kept, 'utf8')).toContain(inside);
    expect(fs.readFileSync(precious, 'utf8')).toBe('as it was');
    expect(attempts).toBe(2);
  });
});

describe('19: over HTTP, the token of a group', () => {
  it('opens its own routes, and nothing else, however the address is written', async () => {
    const { context, config } = stand.holdfast;
    const server = await startHttp(
      { ...context, events: liveEvents(Date.now), wake: () => {}, log: () => {} },
      { port: 0 },
    );
    try {
      const tokens = openTokens(config.home);
      const born = async (name: string) => (await stand.holdfast.store.groups.get(name)) as Group;
      const token = groupToken(tokens, await born('tide'));
      const ask = async (method: string, address: string, body?: unknown, bearer = token) => {
        // fetch would resolve `..` before sending.
        const { request } = await import('node:http');
        return new Promise<{ status: number; text: string }>((resolve, reject) => {
          const sent = request(
            {
              host: '127.0.0.1',
              port: server.port,
              method,
              path: address,
              headers: {
                authorization: `Bearer ${bearer}`,
                ...(body === undefined ? {} : { 'content-type': 'application/json' }),
              },
            },
            (answer) => {
              let text = '';
              answer.on('data', (part) => (text += part));
              answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
            },
          );
          sent.on('error', reject);
          sent.end(body === undefined ? undefined : JSON.stringify(body));
        });
      };
      const refused = async (method: string, address: string, body?: unknown, bearer?: string) =>
        attempt(`${method} ${address} ${JSON.stringify(body)}`, async () => {
          const { status, text } = await ask(method, address, body, bearer);
          expect([address, status >= 400 && status < 500], text).toEqual([address, true]);
          return text;
        });
      expect(await ask('GET', '/api/groups/tide/history')).toMatchObject({ status: 200 });
      expect(await ask('GET', `/api/groups/tide/search?query=${inside}`)).toMatchObject({ status: 200 });
      expect((await ask('GET', `/api/groups/tide/search?query=${secret.reef}`)).text).toBe('{"hits":[]}');

      const opened = new Set(
        ['history', 'search', 'clear', 'resume', 'messages', 'events'].map((what) => `/api/groups/{group}/${what}`),
      );
      for (const { method, path: template, access } of server.routes) {
        if (access === 'open') continue;
        const bodies = method === 'POST' ? { group: 'reef', yes: true } : undefined;
        const at = (group: string) => template.replace('{group}', group).replace('{id}', ids.active);
        await refused(method, at('reef'), opened.has(template) ? {} : bodies);
        if (!opened.has(template)) await refused(method, at('tide'), bodies);
        expect(access === 'group', template).toBe(opened.has(template));
      }
      const tricks = [
        '/api/groups/tide/../reef/history',
        '/api/groups/tide/..%2freef/history',
        '/api/groups/tide%2f..%2freef/history',
        '/api/groups/%72eef/history',
        '/api/groups/tide%00/history',
        '/api/groups/REEF/history',
        '//api/groups/reef/history',
        '/api//groups/reef/history',
        '/api/groups/reef/history?group=tide',
        '/api/groups/tide/history?group=reef',
        '/api/groups/tide/search?query=x&group=reef',
        '/api/groups/tide/search?query=x&query=y',
        '/api/groups//history',
        '/api/groups/tide/history/',
        '/api/groups/tide/history#/../../reef',
        `/api/sessions/${ids.active}`,
        '/mcp',
      ];
      for (const address of tricks) await refused('GET', address);
      for (const body of [
        { id: String(ids.mark) },
        { id: ids.left },
        { id: ids.person },
        { id: ids.left, group: 'reef' },
        { id: String(ids.mark), saveCurrentAs: 'x' },
      ])
        await refused('POST', '/api/groups/tide/resume', body);
      await refused('POST', '/api/groups/tide/clear', { name: 'x', group: 'reef' });
      const mac = token.split('.')[2] as string;
      for (const forged of [
        `g.reef.${mac}`,
        `g.tide.${mac.slice(0, 63)}0`,
        `g.main.${mac}`,
        mac,
        'g.reef.',
        `${token}.reef`,
        'c0'.repeat(32),
        groupToken({ full: 'c0'.repeat(32) }, await born('reef')),
      ])
        await refused('GET', '/api/groups/reef/history', undefined, forged);
      expect(await tide.current()).toBe('tide-own');
      const routes = server.routes.filter(({ access }) => access !== 'open').length;
      expect(attempts).toBe(2 * routes - opened.size + tricks.length + 5 + 1 + 8);
    } finally {
      await server.close();
    }
  });
});

describe('19: the token of a group that was removed', () => {
  it('does not open the next group of that name, and ends a stream that it opened', async () => {
    const { context, config, store } = stand.holdfast;
    const server = await startHttp(
      { ...context, events: liveEvents(Date.now), wake: () => {}, log: () => {} },
      { port: 0 },
    );
    try {
      const token = async () => groupToken(openTokens(config.home), (await store.groups.get('tide')) as Group);
      const ask = (what: string, bearer: string) =>
        fetch(`http://127.0.0.1:${server.port}/api/groups/tide/${what}`, {
          headers: { authorization: `Bearer ${bearer}` },
        });
      const old = await token();
      const stream = await ask('events', old);
      expect(stream.status).toBe(200);
      await store.groups.remove('tide');
      expect((await ask('history', old)).status).toBe(401);
      await store.groups.create('tide', Date.now() + 1);
      expect((await ask('history', old)).status).toBe(401);
      expect((await ask('history', await token())).status).toBe(200);
      await store.messages.putOut({ group: 'tide', kind: 'notice', text: secret.person }, Date.now());
      // The stream ends by itself, and nothing in it comes from the new group.
      expect(await stream.text()).not.toContain(secret.person);
    } finally {
      await server.close();
    }
  });
});

describe('20: over MCP, the channel of a group', () => {
  it('has four tools, takes no group name, and knows no ids of others', async () => {
    const { context } = stand.holdfast;
    const agent = await mcpClient(context, {
      table: groupOperations('tide'),
      instructions: groupInstructions('tide'),
    });
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'clear_session',
      'list_sessions',
      'resume_session',
      'search_sessions',
    ]);
    expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema.properties))).not.toContain('group"');
    const call = async (name: string, given: Record<string, unknown>) => {
      const { isError, text } = await agent.call(name, given);
      return { failed: isError === true, text };
    };
    const fails = (name: string, given: Record<string, unknown>) =>
      attempt(`${name} ${JSON.stringify(given)}`, async () => {
        const { failed, text } = await call(name, given);
        expect([name, given, failed]).toEqual([name, given, true]);
        return text;
      });
    expect((await call('search_sessions', { query: inside })).text).toContain(inside);
    expect((await call('search_sessions', { query: secret.reef })).text).toContain('Nothing found');
    for (const group of ['reef', 'tide', 'main', ['reef'], null]) {
      await fails('clear_session', { name: 'x', group });
      await fails('list_sessions', { group });
      await fails('resume_session', { id: ids.mark, group });
      await fails('search_sessions', { query: inside, group });
    }
    for (const id of [ids.mark, String(ids.mark), ids.left, ids.active, ids.person, '../reef-left', { group: 'reef' }])
      await fails('resume_session', { id });
    for (const name of ['search', 'sessions', 'get', 'timeline', 'briefing', 'remember', 'groups_history'])
      await attempt(name, () => call(name, { query: secret.reef, ids: [ids.active] }));
    expect(await tide.current()).toBe('tide-own');
    expect(attempts).toBe(20 + 7 + 7);
    const cleared = await call('clear_session', { name: 'Swept' });
    expect(cleared).toMatchObject({ failed: false, text: expect.stringMatching(/conversations\/.*swept\.md/) });
    const [mark] = await tide.bookmarks();
    expect((await call('list_sessions', {})).text).toContain(`${mark?.id} Swept`);
    await tide.activate('tide-next');
    expect((await call('resume_session', { id: mark?.id, save_current_as: 'Next' })).failed).toBe(false);
    expect(await tide.current()).toBe('tide-own');
  });
});
