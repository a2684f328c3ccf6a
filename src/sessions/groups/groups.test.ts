// Tests of the numbered requirements for groups. Real processes stand in for agents.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GroupStand, groupStand } from '../../../test/group-stand.ts';
import { openHoldfast } from '../../app/open.ts';
import { fillVault } from '../../capture/vault/vault.ts';
import { groupDeps } from '../../operations/groups/group-deps.ts';
import { globalMemory, globalMemoryFile } from './group-folders.ts';
import { createGroup, openGroup } from './groups.ts';

let stand: GroupStand;
beforeEach(async () => {
  stand = await groupStand();
});
afterEach(() => stand.end());

const archivesOf = (group: { folders: { conversations: string } }) =>
  fs.readdirSync(group.folders.conversations).sort();
const json = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8'));

describe('the pointer of a group', () => {
  it('1: get, set and delete agree with the database immediately and after a restart', async () => {
    const tide = await stand.group('tide');
    expect(await tide.current()).toBeUndefined();
    await tide.activate('0f3c');
    expect(await tide.current()).toBe('0f3c');
    const other = await openHoldfast({ HOME: stand.folder });
    try {
      const again = await openGroup(groupDeps(other.context), 'tide');
      expect(await again.current()).toBe('0f3c');
      await again.leave();
      expect(await tide.current()).toBeUndefined();
    } finally {
      await other.close();
    }
  });

  it('2: the first run has no session; the group stores its id as soon as the agent reports it, and the next run resumes it', async () => {
    const tide = await stand.group('tide');
    const first = await stand.run(tide, 'I want to plan a trip');
    expect(first.resumed).toBeUndefined();
    expect(await tide.current()).toBe(first.session);
    await stand.deps.close?.('tide');
    const second = await stand.run(tide, 'and then?');
    expect(second.resumed).toBe(first.session);
    expect(second.session).toBe(first.session);
  });

  it('4: a dying process that still reports its old id does not restore the pointer', async () => {
    const tide = await stand.group('tide');
    await stand.run(tide, 'I want to plan a trip');
    await tide.clear('Trip');
    await stand.settled();
    expect(stand.events).toEqual(['stored tide', 'close tide', 'refused tide']);
    expect(await tide.current()).toBeUndefined();
    const { session } = await stand.run(tide, 'something else');
    const [trip] = await tide.bookmarks();
    await tide.resume(trip?.id as number);
    await stand.settled();
    expect(stand.events.at(-1)).toBe('refused tide');
    expect(await tide.current()).toBe(trip?.session);
    expect(await tide.current()).not.toBe(session);
  });

  it('holds the position to resume at, which only a process of the current epoch can move', async () => {
    const tide = await stand.group('tide');
    const { epoch } = await tide.pointer();
    await tide.activate('0f3c', { epoch, resumeAt: 'e1' });
    await tide.activate('0f3c', { epoch, resumeAt: 'e2' });
    expect(await tide.pointer()).toMatchObject({ session: '0f3c', resumeAt: 'e2', epoch });
    await tide.clear();
    expect(await tide.activate('0f3c', { epoch, resumeAt: 'e3' })).toBe(false);
    expect(await tide.pointer()).not.toHaveProperty('resumeAt');
  });

  it('refuses ids that would be paths, and invalid group names', async () => {
    const tide = await stand.group('tide');
    for (const id of ['', '..', 'a/b', '../x', 'a\\b', '-rf', 'x\0y', 'a\nb'])
      await expect(tide.activate(id)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    for (const name of [
      '',
      'global',
      'Main',
      '../x',
      'a/b',
      '-x',
      'con',
      'com1',
      'nul',
      'x'.repeat(64),
      'ä',
      'a.b',
      'a b',
    ])
      await expect(createGroup(stand.deps, name)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(openGroup(stand.deps, 'reef')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(fs.readdirSync(stand.holdfast.config.groupsPath).sort()).toEqual(['global', 'tide']);
  });
});

describe('clear', () => {
  it('3: archives, bookmarks, removes the pointer and closes, in this order', async () => {
    const seen: unknown[] = [];
    const watch = { ...stand.deps, close: async () => void seen.push(await state()) };
    await createGroup(watch, 'tide');
    const tide = await openGroup(watch, 'tide');
    const state = async () => ({
      archives: archivesOf(tide).length,
      bookmarks: (await tide.bookmarks()).length,
      session: await tide.current(),
    });
    const { session } = await stand.run(tide, 'I want to plan a trip');
    // The store fails at the bookmark: by then the archive exists, and nothing else has changed.
    const broken = {
      ...watch,
      store: {
        ...watch.store,
        groups: { ...watch.store.groups, leaveSession: () => Promise.reject(new Error('the disk is full')) },
      },
    };
    await expect((await openGroup(broken, 'tide')).clear('Trip')).rejects.toThrow('the disk is full');
    expect(await state()).toEqual({ archives: 1, bookmarks: 0, session });
    expect(seen).toEqual([]);
    const cleared = await tide.clear('Trip');
    expect(seen).toEqual([{ archives: 1, bookmarks: 1, session: undefined }]);
    expect(cleared).toMatchObject({ session, bookmark: { name: 'Trip', session } });
    const [file] = archivesOf(tide);
    expect(file).toMatch(/^\d{4}-\d\d-\d\d-trip\.md$/);
    expect(fs.readFileSync(path.join(tide.folders.conversations, file as string), 'utf8')).toMatch(
      /^# Trip\n\nArchived: .+\n\n---\n\n\*\*User\*\*: I want to plan a trip\n\n\*\*G2\*\*: You said/,
    );
  });

  it('5: without a session it archives nothing; without a name it removes the pointer and archives nothing', async () => {
    const tide = await stand.group('tide');
    expect(await tide.clear('Nothing')).toEqual({ session: undefined });
    const { session } = await stand.run(tide, 'I want to plan a trip');
    expect(await tide.clear()).toEqual({ session });
    expect(await tide.current()).toBeUndefined();
    expect(await tide.bookmarks()).toEqual([]);
    expect(archivesOf(tide)).toEqual([]);
    expect(stand.events.filter((event) => event === 'close tide')).toHaveLength(2);
  });

  it('6: the transcript of the agent stays on disk', async () => {
    const tide = await stand.group('tide');
    const { file } = await stand.run(tide, 'I want to plan a trip');
    const before = fs.readFileSync(file);
    await tide.clear('Trip');
    expect(fs.readFileSync(file)).toEqual(before);
  });

  it('7: a missing or empty transcript gives a bookmark, no Markdown and no error', async () => {
    const tide = await stand.group('tide');
    const { file } = await stand.run(tide, 'never taken in');
    fs.rmSync(file);
    expect(await tide.clear('Missing')).toMatchObject({ archive: { outcome: 'none' }, bookmark: { name: 'Missing' } });
    const second = await stand.run(tide, 'emptied');
    fs.writeFileSync(second.file, '');
    expect(await tide.clear('Empty')).toMatchObject({ archive: { outcome: 'none' }, bookmark: { name: 'Empty' } });
    expect(archivesOf(tide)).toEqual([]);
    expect((await tide.bookmarks()).map(({ name }) => name)).toEqual(['Empty', 'Missing']);
  });

  it('refuses an empty or too long name, and changes nothing', async () => {
    const tide = await stand.group('tide');
    const { session } = await stand.run(tide, 'I want to plan a trip');
    for (const name of ['', ' \n ', 'x'.repeat(201)])
      await expect(tide.clear(name)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(await tide.current()).toBe(session);
    expect(archivesOf(tide)).toEqual([]);
    expect(stand.events).not.toContain('close tide');
  });

  it('19: does not write through a link with which the agent has replaced its archive folder', async () => {
    const [tide, reef] = [await stand.group('tide'), await stand.group('reef')];
    const { session } = await stand.run(tide, 'I want to plan a trip');
    fs.rmdirSync(tide.folders.conversations);
    fs.symlinkSync(reef.folders.conversations, tide.folders.conversations);
    await expect(tide.clear('Trip')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(archivesOf(reef)).toEqual([]);
    expect(await tide.current()).toBe(session);
  });
});

describe('resume', () => {
  it('10: checks the target first; a refusal changes nothing', async () => {
    const [tide, reef] = [await stand.group('tide'), await stand.group('reef')];
    const old = await stand.run(tide, 'the old one');
    await tide.clear('Old');
    const { session } = await stand.run(tide, 'the present one');
    await stand.run(reef, 'of another group');
    await reef.clear('Reef');
    const [mark] = await tide.bookmarks();
    const [foreign] = await reef.bookmarks();
    const before = { pointer: await tide.pointer(), history: await tide.bookmarks(), archives: archivesOf(tide) };
    const refused = async (target: number | string, code = 'NOT_FOUND') => {
      await expect(tide.resume(target, 'Saved')).rejects.toMatchObject({ code });
      expect({ pointer: await tide.pointer(), history: await tide.bookmarks(), archives: archivesOf(tide) }).toEqual(
        before,
      );
    };
    const closed = stand.events.length;
    await refused(999_999);
    await refused(foreign?.id as number);
    await refused(foreign?.session as string);
    await refused('never-heard-of');
    await refused(session, 'CONFLICT');
    fs.rmSync(old.file);
    await refused(mark?.id as number);
    await expect(tide.resume(mark?.id as number, ' ')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(stand.events).toHaveLength(closed);
  });

  it('10: restores the transcript from the vault if the agent has deleted it', async () => {
    const tide = await stand.group('tide');
    const { file, session } = await stand.run(tide, 'the old one');
    await tide.clear('Old');
    await fillVault(stand.holdfast.context, { quietMs: 0 });
    fs.rmSync(file);
    const [mark] = await tide.bookmarks();
    await tide.resume(mark?.id as number);
    expect((await stand.run(tide, 'go on')).session).toBe(session);
    expect(fs.readFileSync(file, 'utf8')).toContain('the old one');
  });

  it('11: saves and archives the current session only if it gets a name', async () => {
    const tide = await stand.group('tide');
    for (const name of ['One', 'Two']) {
      await stand.run(tide, `about ${name}`);
      await tide.clear(name);
    }
    const third = await stand.run(tide, 'about three');
    const idOf = async (name: string) => (await tide.bookmarks()).find((mark) => mark.name === name)?.id as number;
    expect((await tide.resume(await idOf('One'), 'Three')).left).toMatchObject({
      session: third.session,
      bookmark: { name: 'Three' },
      archive: { outcome: 'new' },
    });
    expect(archivesOf(tide).filter((file) => file.includes('three'))).toHaveLength(1);
    // Session One is active now. Leaving it without a name makes no bookmark.
    await tide.resume(await idOf('Two'));
    expect((await tide.bookmarks()).map(({ name }) => name)).toEqual(['Three']);
  });

  it('12: makes the session active, removes it from the history, and tells the process to close', async () => {
    const tide = await stand.group('tide');
    const { session } = await stand.run(tide, 'the old one');
    await tide.clear('Old');
    await stand.run(tide, 'the new one');
    const [mark] = await tide.bookmarks();
    const closes = () => stand.events.filter((event) => event === 'close tide').length;
    const before = closes();
    expect(await tide.resume(mark?.id as number)).toMatchObject({ session });
    expect(closes()).toBe(before + 1);
    expect(await tide.current()).toBe(session);
    expect(await tide.bookmarks()).toEqual([]);
    expect((await stand.run(tide, 'go on')).resumed).toBe(session);
  });

  it('13: the history has one group’s sessions, newest first, with two different times', async () => {
    const [tide, reef] = [await stand.group('tide'), await stand.group('reef')];
    for (const name of ['One', 'Two']) {
      await stand.run(tide, `about ${name}`);
      await tide.clear(name);
    }
    await stand.run(reef, 'elsewhere');
    await reef.clear('Elsewhere');
    const history = await tide.bookmarks();
    expect(history.map(({ name }) => name)).toEqual(['Two', 'One']);
    for (const mark of history) {
      expect(Object.keys(mark).sort()).toEqual(['agent', 'archivedAt', 'createdAt', 'id', 'name', 'session']);
      expect(Date.parse(mark.createdAt)).toBeLessThan(Date.parse(mark.archivedAt));
    }
  });

  it('bookmark leaves the session active, and switchTo returns to it', async () => {
    const tide = await stand.group('tide');
    expect(await tide.bookmark('Nothing')).toBeUndefined();
    await tide.activate('a');
    const mark = await tide.bookmark('A');
    expect(await tide.current()).toBe('a');
    await tide.activate('b');
    expect(await tide.switchTo(mark?.id as number)).toBe('a');
    expect(await tide.current()).toBe('a');
    expect(await tide.bookmarks()).toEqual([]);
  });
});

describe('what a process finds at its start', () => {
  it('14: the history and tasks of its group; main also finds the list of groups', async () => {
    const [main, tide] = [await stand.group('main'), await stand.group('tide')];
    await stand.run(tide, 'about one');
    await tide.clear('One');
    const said = await stand.run(tide, 'next', [{ id: 'water the plants' }]);
    expect(said.history?.sessions.map(({ name }) => name)).toEqual(['One']);
    expect(said.snapshots).toEqual(['current_tasks.json', 'session_history.json']);
    expect(json(path.join(tide.folders.snapshots, 'current_tasks.json'))).toEqual({
      tasks: [{ id: 'water the plants' }],
    });
    expect((await stand.run(main, 'hello')).snapshots).toContain('available_groups.json');
    const { groups } = json(path.join(main.folders.snapshots, 'available_groups.json'));
    expect(groups.map(({ name }: { name: string }) => name)).toEqual(['main', 'tide']);
  });

  it('14: a process that is reading a snapshot reads it to the end while the next one is written', async () => {
    const tide = await stand.group('tide');
    const { tasks, history } = await tide.snapshot([{ id: 'old' }]);
    const readers = [tasks, history].map((file) => ({
      open: fs.openSync(file, 'r'),
      text: fs.readFileSync(file, 'utf8'),
    }));
    await stand.run(tide, 'about one');
    await tide.clear('One');
    await tide.snapshot([{ id: 'new' }]);
    for (const { open, text } of readers) {
      expect(fs.readFileSync(open, 'utf8')).toBe(text);
      fs.closeSync(open);
    }
    expect(json(tasks)).toEqual({ tasks: [{ id: 'new' }] });
  });

  it('17: settings with the agent’s flags, and a CLAUDE.md that mentions conversations/; neither is written twice', async () => {
    const tide = await stand.group('tide');
    const settings = path.join(tide.folders.agentHome, '.claude', 'settings.json');
    expect(json(settings).env).toEqual({
      CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1',
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: '0',
    });
    const told = path.join(tide.folders.work, 'CLAUDE.md');
    expect(fs.readFileSync(told, 'utf8')).toContain('`conversations/`');
    fs.writeFileSync(settings, '{"mine":true}');
    fs.writeFileSync(told, 'my own words');
    tide.prepare();
    expect(json(settings)).toEqual({ mine: true });
    expect(fs.readFileSync(told, 'utf8')).toBe('my own words');
  });

  it('17: the person’s current skills; skills that the agent made stay', async () => {
    const tide = await stand.group('tide');
    const [from, to] = [path.join(stand.home, 'skills'), path.join(tide.folders.agentHome, '.claude', 'skills')];
    const put = (skill: string, text: string) => {
      fs.mkdirSync(path.join(from, skill, 'more'), { recursive: true });
      fs.writeFileSync(path.join(from, skill, 'SKILL.md'), text);
      fs.writeFileSync(path.join(from, skill, 'more', 'x.txt'), text);
    };
    const skills = () =>
      fs
        .readdirSync(to)
        .filter((name) => !name.startsWith('.'))
        .sort();
    fs.mkdirSync(path.join(to, 'own'), { recursive: true });
    put('weather', 'one');
    put('tax', 'one');
    tide.prepare();
    expect(skills()).toEqual(['own', 'tax', 'weather']);
    put('weather', 'two');
    fs.rmSync(path.join(from, 'tax'), { recursive: true });
    fs.rmSync(path.join(from, 'weather', 'more'), { recursive: true });
    tide.prepare();
    expect(skills()).toEqual(['own', 'weather']);
    expect(fs.readFileSync(path.join(to, 'weather', 'SKILL.md'), 'utf8')).toBe('two');
    expect(fs.existsSync(path.join(to, 'weather', 'more'))).toBe(false);
    // What the agent changes in a copy, or adds to it, is gone at the next start.
    fs.appendFileSync(path.join(to, 'weather', 'SKILL.md'), 'more');
    tide.prepare();
    expect(fs.readFileSync(path.join(to, 'weather', 'SKILL.md'), 'utf8')).toBe('two');
    fs.writeFileSync(path.join(to, 'weather', 'added'), '');
    fs.truncateSync(path.join(to, 'weather', 'added'), 3 * 2 ** 30);
    tide.prepare();
    expect(fs.readdirSync(path.join(to, 'weather'))).toEqual(['SKILL.md']);
    // The agent may write anything into our list, and replace skills by links.
    fs.writeFileSync(path.join(to, '.holdfast-skills'), '../../../CLAUDE.md\n..\n.\nown\n');
    fs.rmSync(path.join(to, 'weather'), { recursive: true });
    fs.symlinkSync(tide.folders.work, path.join(to, 'weather'));
    tide.prepare();
    expect(fs.existsSync(path.join(tide.folders.work, 'CLAUDE.md'))).toBe(true);
    expect(fs.existsSync(path.join(tide.folders.work, 'SKILL.md'))).toBe(false);
    expect(fs.readFileSync(path.join(to, 'weather', 'SKILL.md'), 'utf8')).toBe('two');
  });

  it('18: the global memory in its prompt, except for main, which edits the file itself', async () => {
    const { config } = stand.holdfast;
    const [main, tide] = [await stand.group('main'), await stand.group('tide')];
    expect(globalMemory(config, 'tide')).toBeUndefined();
    fs.writeFileSync(globalMemoryFile(config), 'We speak plainly.\n');
    expect((await stand.run(tide, 'hello')).append).toBe('We speak plainly.');
    expect((await stand.run(main, 'hello')).append).toBe('');
    // The tests of the sandbox check which folders each group sees.
    const [file, away] = [globalMemoryFile(config), path.join(config.home, 'config.json')];
    fs.writeFileSync(away, '{}');
    fs.rmSync(file);
    fs.symlinkSync(away, file);
    expect(globalMemory(config, 'tide')).toBeUndefined();
    fs.rmSync(file);
    execFileSync('mkfifo', [file]);
    expect(globalMemory(config, 'tide')).toBeUndefined();
  });
});

describe('what was said', () => {
  it('16: is found by its content, and each hit names a session that can be resumed', async () => {
    const tide = await stand.group('tide');
    const trip = await stand.run(tide, 'Which ferry goes to Naoshima?');
    await tide.clear('Japan');
    const plants = await stand.run(tide, 'The philodendron has yellow leaves');
    await tide.clear();
    const now = await stand.run(tide, 'And what about the sourdough?');
    expect(await tide.search('ferry naoshima')).toMatchObject([
      { session: trip.session, name: 'Japan', id: (await tide.bookmarks())[0]?.id, current: false },
    ]);
    expect(await tide.search('sourdough')).toMatchObject([{ session: now.session, current: true }]);
    // This session was left without a name, so only its own id leads back.
    const [hit] = await tide.search('philodendron');
    expect(hit).toMatchObject({ session: plants.session, id: undefined });
    await tide.resume(hit?.session as string);
    expect(await tide.current()).toBe(plants.session);
  });

  it('16: belongs to the group’s folder, whatever folder the agent reports', async () => {
    const tide = await stand.group('tide');
    const { session } = await stand.run(tide, 'Which ferry goes to Naoshima?');
    await tide.clear('Japan');
    expect(await stand.holdfast.store.sessions.find(session)).toMatchObject([
      { cwd: tide.folders.work, projectPath: tide.folders.work, project: 'tide' },
    ]);
  });
});

describe('a session that is lost', () => {
  it('is distinguished from other errors: the pointer is removed, the next start is fresh, and retries end', async () => {
    const tide = await stand.group('tide');
    const { session, file } = await stand.run(tide, 'I want to plan a trip');
    await stand.deps.close?.('tide');
    fs.rmSync(file);
    const failure = await stand.run(tide, 'go on').then(
      () => '',
      (error: Error) => error.message,
    );
    expect(await tide.reportLost(session, { message: 'connect ECONNREFUSED 127.0.0.1:443' })).toEqual({ next: 'none' });
    expect(await tide.current()).toBe(session);
    expect(await tide.reportLost('another', { message: failure })).toEqual({ next: 'none', loss: 'missing' });
    expect(await tide.reportLost(session, { message: failure })).toEqual({ next: 'fresh', loss: 'missing' });
    expect(await tide.current()).toBeUndefined();
    expect(await tide.reportLost(session, { message: failure })).toEqual({ next: 'none', loss: 'missing' });
    expect((await stand.run(tide, 'anew')).session).not.toBe(session);
  });

  it('is restored from the vault once; if the agent still misses it, the pointer is removed', async () => {
    const tide = await stand.group('tide');
    const { session, file } = await stand.run(tide, 'I want to plan a trip');
    await stand.deps.close?.('tide');
    await stand.deps.takeIn?.('tide');
    await fillVault(stand.holdfast.context, { quietMs: 0 });
    fs.rmSync(file);
    expect(await tide.reportLost(session, 'missing')).toEqual({ next: 'again', loss: 'missing' });
    expect(fs.existsSync(file)).toBe(true);
    expect(await tide.reportLost(session, 'missing')).toEqual({ next: 'fresh', loss: 'missing' });
  });

  it('loses only its position if the position is missing, and its pointer if the transcript is corrupt', async () => {
    const tide = await stand.group('tide');
    const { epoch } = await tide.pointer();
    await tide.activate('0f3c', { epoch, resumeAt: 'e1' });
    const lost = { message: 'No message found with message.uuid of: e1' };
    expect(await tide.reportLost('0f3c', lost)).toEqual({ next: 'again', loss: 'position' });
    expect(await tide.pointer()).toMatchObject({ session: '0f3c' });
    expect(await tide.pointer()).not.toHaveProperty('resumeAt');
    expect(await tide.reportLost('0f3c', lost)).toEqual({ next: 'fresh', loss: 'position' });
    await tide.activate('0f3d');
    expect(await tide.reportLost('0f3d', 'corrupt', { epoch })).toEqual({ next: 'none', loss: 'corrupt' });
    expect(await tide.reportLost('0f3d', 'corrupt')).toEqual({ next: 'fresh', loss: 'corrupt' });
    expect(await tide.current()).toBeUndefined();
  });
});
