// Resumes a session with the real client after the agent has deleted its transcript.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { clientCases, isMissing, type Machine, machine } from './claude.ts';
import { ask, holdfast, type Place, place, temporaryFolder } from './holdfast.ts';
import { killedAt, noTrace } from './kill-at.ts';

const allowed = ['--allowedTools', 'Bash,Read'];

/** The transcript of a session, wherever the client has put it. */
function transcriptOf(own: Machine, session: string): string {
  const projects = path.join(own.env.HOME as string, '.claude', 'projects');
  const found = readdirSync(projects, { recursive: true })
    .map(String)
    .find((name) => name.endsWith(`${session}.jsonl`));
  expect(found, `a transcript of ${session}`).toBeDefined();
  return path.join(projects, found as string);
}

describe.each(clientCases())('Claude Code %s%s', (version) => {
  const test = it.skipIf(isMissing(version));

  test('resumes a session whose transcript was deleted, and the earlier messages reach the API', async () => {
    const own = await machine(version);
    const script = [{ tool: 'Bash', input: { command: 'echo the fog lifts' } }, { text: 'The lamp burns again.' }];
    const first = await own.claude('Repair the lighthouse lamp', script, allowed);
    expect(first.code).toBe(0);
    await ask(own.env, 'ingest');
    expect(await ask(own.env, 'vault', '--fill')).toMatchObject({ transcripts: 1, due: 0, missing: 0 });
    const transcript = transcriptOf(own, first.id);
    const before = readFileSync(transcript, 'utf8');
    rmSync(transcript);

    // The client itself no longer knows the session.
    const lost = await own.run(['Go on', '--resume', first.id]);
    expect(lost.code).not.toBe(0);
    rmSync(transcript, { force: true });

    const shown = await ask(own.env, 'resume', first.id.slice(0, 8), '--print');
    expect(shown).toMatchObject({
      command: ['claude', '--resume', first.id],
      folder: own.project,
      restored: [transcript],
    });
    expect(lines(readFileSync(transcript, 'utf8'))).toEqual(lines(before));
    const second = await own.claude('And then?', [{ text: 'It still burns.' }], ['--resume', first.id]);
    expect(second).toMatchObject({ code: 0, result: 'It still burns.' });
    const sent = second.asked.find(({ kind }) => kind === 'main')?.text ?? '';
    for (const said of ['Repair the lighthouse lamp', 'the fog lifts', 'The lamp burns again.'])
      expect(sent).toContain(said);

    // The restored entries are known already: nothing appears twice.
    await ask(own.env, 'ingest');
    const { hits } = await ask(own.env, 'search', '"lighthouse lamp"');
    expect(hits).toHaveLength(1);
    expect(await ask(own.env, 'vault', '--fill')).toMatchObject({ due: 0 });
    expect((await ask(own.env, 'resume', first.id, '--print')).restored).toEqual([]);
  });

  test('resumes a compacted session whose transcript was deleted', async () => {
    const own = await machine(version);
    const first = await own.claude('Count the gulls', [{ text: 'There are seven gulls.' }]);
    await own.run(['/compact', '--resume', first.id]);
    await ask(own.env, 'ingest');
    await ask(own.env, 'vault', '--fill');
    const transcript = transcriptOf(own, first.id);
    rmSync(transcript);
    await ask(own.env, 'resume', 'gulls', '--print');
    expect(readFileSync(transcript, 'utf8')).toContain('There are seven gulls.');
    const second = await own.claude('And now?', [{ text: 'Eight.' }], ['--resume', first.id]);
    expect(second).toMatchObject({ code: 0, result: 'Eight.' });
    expect(second.asked.find(({ kind }) => kind === 'main')?.text).toMatch(
      /continued from a previous conversation|summary/i,
    );
  });
});

/** Lines by their meaning: the order of fields does not matter. */
const lines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const said = (uuid: string, content: string, at = '2026-03-01T10:00:00.000Z') => ({
  parentUuid: null,
  isSidechain: false,
  sessionId: 'lamp',
  type: 'user',
  message: { role: 'user', content },
  uuid,
  timestamp: at,
});

function written(at: Place, entries: object[], cwd = at.folder): string {
  const file = path.join(at.claude, '-srv-lamp', 'lamp.jsonl');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, entries.map((one) => `${JSON.stringify({ ...one, cwd })}\n`).join(''));
  return file;
}

const copyOf = (at: Place) => path.join(at.home, 'vault', 'claude-code', '-srv-lamp', 'lamp.jsonl.gz');

describe('the vault', () => {
  it('runs the agent in the folder of the session, wherever the person is', async () => {
    const at = place();
    const bin = temporaryFolder();
    writeFileSync(path.join(bin, 'claude'), '#!/bin/sh\necho "$(pwd) $*"\nexit 3\n');
    chmodSync(path.join(bin, 'claude'), 0o755);
    const file = written(at, [said('a', 'Mend the lamp')]);
    await ask(at.env, 'ingest');
    await ask(at.env, 'vault', '--fill');
    rmSync(file);
    const { code, stdout } = await holdfast({ ...at.env, PATH: `${bin}:${at.env.PATH}` }, 'resume', 'mend', 'lamp');
    expect(stdout).toBe(`${at.folder} --resume lamp\n`);
    expect(code, 'the agent ended badly').toBe(1);
    expect(existsSync(file)).toBe(true);
    const without = await holdfast({ ...at.env, PATH: path.dirname(process.execPath) }, 'resume', 'lamp');
    expect(without.stderr).toContain('there is no program claude on the PATH');
  });

  it('never overwrites an existing file', async () => {
    const at = place();
    const file = written(at, [said('a', 'Mend the lamp')]);
    await ask(at.env, 'ingest');
    await ask(at.env, 'vault', '--fill');
    writeFileSync(file, 'something newer\n');
    expect((await ask(at.env, 'resume', 'lamp', '--print')).restored).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('something newer\n');
  });

  it('says what is gone for good, and what is missing', async () => {
    const at = place();
    const file = written(at, [said('a', 'Mend the lamp')], path.join(at.folder, 'gone'));
    await ask(at.env, 'ingest');
    expect((await holdfast(at.env, 'resume', 'lamp')).stderr).toContain('does not exist');
    mkdirSync(path.join(at.folder, 'gone'));
    rmSync(file);
    const none = await holdfast(at.env, 'resume', 'lamp');
    expect(none.code).not.toBe(0);
    expect(none.stderr).toContain('the vault has no copy');
    expect(none.stderr).toContain('holdfast resume lamp --in claude-code');
    const { carried, command } = await ask(at.env, 'resume', 'lamp', '--in', 'claude-code', '--print');
    expect(command).toEqual(['claude', '--resume', carried.session]);
    expect(readFileSync(carried.files[0], 'utf8')).toContain('Mend the lamp');
    expect((await holdfast(at.env, 'resume', 'zebra')).stderr).toContain('no session has these words');
  });

  it('grows at its end, as the transcript does', async () => {
    const at = place();
    written(at, [said('a', 'Mend the lamp')]);
    await ask(at.env, 'ingest');
    await ask(at.env, 'vault', '--fill');
    const first = readFileSync(copyOf(at));
    const file = written(at, [said('a', 'Mend the lamp'), said('b', 'And the horn')]);
    await ask(at.env, 'ingest');
    await ask(at.env, 'vault', '--fill');
    const second = readFileSync(copyOf(at));
    expect(second.subarray(0, first.length)).toEqual(first);
    expect(lines(gunzipSync(second).toString())).toEqual(lines(readFileSync(file, 'utf8')));
  });

  it('a cut transcript takes nothing away: search, show and status say so, until the person forgets or prunes it', async () => {
    const at = place();
    const said3 = ['Mend the lamp', 'And the horn', 'And the bell'].map((text, i) => said('abc'[i] as string, text));
    written(at, said3);
    await ask(at.env, 'ingest');
    await ask(at.env, 'vault', '--fill');
    truncateSync(written(at, said3), JSON.stringify({ ...said3[0], cwd: at.folder }).length + 1);
    await ask(at.env, 'ingest');
    await ask(at.env, 'vault', '--fill');
    const says = async (...words: string[]) => (await holdfast(at.env, ...words)).stdout;
    expect(await says('search', '"the bell"')).toContain('no longer in the transcript');
    const shown = await says('show', 'lamp');
    expect(shown).toContain('And the horn');
    expect(shown.match(/no longer in the transcript/g)).toHaveLength(2);
    expect(await says('status')).toContain('2 entries are no longer in the transcript');
    const vaulted = () =>
      readdirSync(path.dirname(copyOf(at)))
        .map((name) => gunzipSync(readFileSync(path.join(path.dirname(copyOf(at)), name))).toString())
        .join();
    expect(vaulted()).toContain('And the bell');
    await ask(at.env, 'forget', 'c', '--yes');
    expect((await ask(at.env, 'search', '"the bell"')).hits).toEqual([]);
    expect(vaulted()).not.toContain('And the bell');
    await ask(at.env, 'ingest', '--reimport');
    expect((await ask(at.env, 'search', '"the horn"')).hits).toHaveLength(1);
    await ask(at.env, 'ingest', '--reimport', '--prune');
    expect((await ask(at.env, 'search', '"the horn"')).hits).toEqual([]);
    expect(vaulted()).not.toContain('And the horn');
    expect(await says('status')).not.toContain('no longer in the transcript');
  });

  it('is deleted with its session, and by the setting', async () => {
    const at = place();
    written(at, [said('a', 'Mend the lamp')]);
    await ask(at.env, 'ingest');
    await ask(at.env, 'vault', '--fill');
    expect(existsSync(copyOf(at))).toBe(true);
    expect(await ask(at.env, 'sessions', 'delete', 'lamp', '--yes')).toMatchObject({ copies: 1 });
    expect(existsSync(copyOf(at))).toBe(false);
    const off = place();
    written(off, [said('a', 'Mend the lamp')]);
    await ask(off.env, 'config', 'set', 'vault', 'false');
    await ask(off.env, 'ingest');
    expect(await ask(off.env, 'vault', '--fill')).toMatchObject({ enabled: false, transcripts: 0 });
    expect(existsSync(path.join(off.home, 'vault'))).toBe(false);
  });

  it.skipIf(noTrace)(
    because('killed at each call that makes a change durable, it holds every line once', noTrace),
    async () => {
      const at = place();
      const entries = [said('a', 'Mend the lamp')];
      written(at, entries);
      await ask(at.env, 'ingest');
      await ask(at.env, 'vault', '--fill');
      entries.push(said('b', 'And the horn'), said('c', 'And the bell'));
      const file = written(at, entries);
      await ask(at.env, 'ingest');
      const expected = lines(readFileSync(file, 'utf8'));
      const before = path.join(at.folder, 'before');
      cpSync(at.home, before, { recursive: true });
      const calls = 'fsync,fdatasync,ftruncate,pwrite64';
      // Without the shared memory of the database: nothing of it lasts.
      const files = [copyOf(at), at.home, at.database, `${at.database}-wal`];
      let round = 0;
      for (let through = false; !through; ) {
        expect(++round).toBeLessThan(60);
        rmSync(at.home, { recursive: true });
        cpSync(before, at.home, { recursive: true });
        written(at, entries);
        through = killedAt(at, round, ['vault', '--fill'], { calls, files });
        rmSync(file);
        await ask(at.env, 'resume', 'lamp', '--print');
        const half = lines(readFileSync(file, 'utf8'));
        expect([1, 3], `killed at call ${round}`).toContain(half.length);
        expect(half).toEqual(expected.slice(0, half.length));
        written(at, entries);
        await ask(at.env, 'vault', '--fill');
        expect(lines(gunzipSync(readFileSync(copyOf(at))).toString())).toEqual(expected);
      }
      expect(round).toBeGreaterThan(6);
    },
  );

  it.skipIf(noTrace)(
    because('killed at each call while it sets the longer copy aside, it holds both versions complete', noTrace),
    async () => {
      const at = place();
      const long = ['Mend the lamp', 'And the horn', 'And the bell'].map((text, i) => said('abc'[i] as string, text));
      const kept = copyOf(at).replace('lamp.jsonl.gz', 'lamp.kept-0.jsonl.gz');
      const held = (file: string) =>
        lines(gunzipSync(readFileSync(file)).toString()).map((line) => (line as { uuid: string }).uuid);
      written(at, long);
      await ask(at.env, 'ingest');
      await ask(at.env, 'vault', '--fill');
      written(at, long.slice(0, 1));
      await ask(at.env, 'ingest');
      const before = path.join(at.folder, 'before');
      cpSync(at.home, before, { recursive: true });
      for (let round = 1, through = false; !through; round++) {
        expect(round).toBeLessThan(60);
        rmSync(at.home, { recursive: true });
        cpSync(before, at.home, { recursive: true });
        through = killedAt(at, round, ['vault', '--fill'], { calls: 'fsync,fdatasync,ftruncate,truncate,rename' });
        // At every moment one of the two files holds everything that was ever seen.
        expect(held(existsSync(kept) ? kept : copyOf(at)), `killed at call ${round}`).toEqual(['a', 'b', 'c']);
        await ask(at.env, 'vault', '--fill');
        expect(held(kept), `after the kill at call ${round}`).toEqual(['a', 'b', 'c']);
        expect(held(copyOf(at))).toEqual(['a']);
        expect(readdirSync(path.dirname(copyOf(at))).sort()).toEqual(['lamp.jsonl.gz', 'lamp.kept-0.jsonl.gz']);
      }
      // Without the database, `recover` reads both.
      for (const side of ['', '-wal', '-shm']) rmSync(at.database + side, { force: true });
      rmSync(path.join(at.home, 'backups'), { recursive: true, force: true });
      rmSync(at.claude, { recursive: true });
      const recovered = await holdfast(at.env, 'recover', '--json');
      expect(JSON.parse(recovered.stdout)).toMatchObject({
        recovered: true,
        sources: { vault: { copies: 2, entries: 3 } },
      });
      for (const text of ['lamp', 'horn', 'bell'])
        expect((await ask(at.env, 'search', `"${text}"`)).hits, text).toHaveLength(1);
    },
  );
});
