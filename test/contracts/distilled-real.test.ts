// The offline distiller on real sessions, if available: each session with work in it gets an account, and titles follow the rules.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Holdfast, openHoldfast } from '../../src/app/open.ts';
import { ingest } from '../../src/capture/ingest.ts';
import { readConversation, readSession, type SessionMaterial, type Turn } from '../../src/distill/material.ts';
import { usesOf } from '../../src/distill/offline/deeds.ts';
import { extractConversation } from '../../src/distill/offline/extract.ts';
import { hasWork, observeTurn } from '../../src/distill/offline/observe.ts';
import { summarizeSession } from '../../src/distill/offline/summarize.ts';
import { Extraction } from '../../src/schema/extraction.ts';
import { ObservationText } from '../../src/schema/observation.ts';
import { SummaryText } from '../../src/schema/summary.ts';

const archive = fileURLToPath(new URL('../../../shared/bench/real-transcripts.tar.gz', import.meta.url));

/** Titles that a person could not scan. */
const bad: readonly (readonly [string, RegExp])[] = [
  ['JSON', /[{[]"|":\s*["[{\d]/],
  ['a code fence', /```|~~~/],
  ['nothing', /^\W*(?:ok(?:ay)?|yes|no|continue|sure|thanks?|go on|do it)\W*$/i],
  ['a path alone', /^[\w.~-]*\/\S*$/],
  ['a control character or a line end', /\p{Cc}/u],
  ['a command of the client', /^[/!]/],
  ['tags', /<\/?(?:system-reminder|command-name|local-command)/],
];

describe.skipIf(!fs.existsSync(archive))('on real sessions the offline distiller', () => {
  let holdfast: Holdfast;
  let folder: string;
  const sessions: SessionMaterial[] = [];
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-real-'));
    execFileSync('tar', ['xzf', archive, '-C', folder]);
    holdfast = await openHoldfast({ HOME: folder, HOLDFAST_HOME: path.join(folder, 'data') });
    await ingest(holdfast.context, { dir: path.join(folder, 'real-transcripts') });
    for (const { agent, id } of await holdfast.store.sessions.list({})) {
      const material = await readSession(holdfast.store, { agent, session: id });
      if (material !== undefined) sessions.push(material);
    }
  }, 120_000);
  afterAll(async () => {
    await holdfast?.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const expectGood = (title: string) => {
    for (const [what, pattern] of bad) expect(title, `${what}: ${title}`).not.toMatch(pattern);
    expect(title.length).toBeGreaterThan(5);
    expect(title.length).toBeLessThanOrEqual(120);
    expect(title.split(/\s+/).length, title).toBeGreaterThan(1);
  };
  const worked = (turn: Turn) => usesOf(turn).length > 0;

  it('gives an account of every session with work in it, and a titled observation for every such turn', () => {
    expect(sessions.length).toBeGreaterThan(25);
    for (const session of sessions) {
      const busy = session.turns.filter(worked);
      const summary = summarizeSession(session);
      if (busy.length > 0) expect(summary, session.session).toBeDefined();
      for (const turn of busy) expect(observeTurn(turn), `${session.session} ${turn.prompt}`).toBeDefined();
    }
  });

  it('writes titles that a person can scan', () => {
    for (const session of sessions) {
      const summary = summarizeSession(session);
      if (summary === undefined) continue;
      expect(SummaryText.safeParse(summary).success).toBe(true);
      expectGood(summary.title);
      for (const text of Object.values(summary)) expect(text).not.toMatch(/```|undefined|\[object/);
      for (const turn of session.turns.filter(hasWork)) {
        const made = observeTurn(turn);
        expect(ObservationText.safeParse(made).success).toBe(true);
        if (made !== undefined) expectGood(made.title);
      }
    }
  });

  it('repeats little: most titles of a session are unique', () => {
    let long = 0;
    for (const session of sessions) {
      const titles = session.turns.flatMap((turn) => observeTurn(turn)?.title ?? []);
      if (titles.length < 5) continue;
      expect(new Set(titles).size / titles.length).toBeGreaterThan(0.8);
      long++;
    }
    expect(long).toBeGreaterThan(0);
  });

  it('extracts what fits the schema, and the same from the same input', async () => {
    const conversations = await holdfast.store.conversations.list({});
    expect(conversations.length).toBeGreaterThan(25);
    for (const { id } of conversations) {
      const material = await readConversation(holdfast.store, id);
      if (material === undefined) continue;
      const made = extractConversation(material);
      expect(Extraction.parse(made)).toEqual(extractConversation(structuredClone(material)));
    }
  });
});
