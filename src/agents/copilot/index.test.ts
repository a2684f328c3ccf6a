// The names of sessions, which Copilot keeps beside its events. The contract suite tests everything else.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pulledAgent } from '../../../test/pulled-agent.ts';
import { copilot } from './index.ts';

const fixture = path.join(import.meta.dirname, 'fixtures/1.0.102/session-state');
const id = '4e50f27c-08c0-4b6f-bb9d-dfee2e962060';
const prompt = 'Which port do the notes name?';

async function memory() {
  const agent = await pulledAgent(copilot);
  fs.cpSync(fixture, agent.root, { recursive: true });
  const yaml = path.join(agent.root, id, 'workspace.yaml');
  const original = fs.readFileSync(yaml, 'utf8');
  const name = (line: string, named = true, at = '2026-11-16T00:50:00.000Z') =>
    fs.writeFileSync(
      yaml,
      original
        .replace(/^name: .*$/m, line)
        .replace(/^user_named: .*$/m, `user_named: ${named}`)
        .replace(/^updated_at: .*$/m, `updated_at: ${at}`),
    );
  const title = async () => {
    const { title: text, titleSource } = (await agent.session(id)) ?? {};
    return [text, titleSource];
  };
  return { ...agent, yaml, name, title };
}

describe('the name of a session', () => {
  it.each([
    ['name: Tide tables', 'Tide tables'],
    ["name: 'It''s the tide: 3 m'", "It's the tide: 3 m"],
    ['name: "Tide \\"tables\\""', 'Tide "tables"'],
  ])('that a person gave, as %s', async (line, expected) => {
    const { name, ingest, title, store } = await memory();
    name(line);
    await ingest();
    expect(await title()).toEqual([expected, 'person']);
    expect((await store.sessions.list({ limit: 10 })).length).toBe(2);
  });

  it('follows when the person changes it, even back to an earlier one', async () => {
    const { name, ingest, title } = await memory();
    for (const [i, given] of ['Tides', 'Tables', 'Tides'].entries()) {
      name(`name: ${given}`, true, `2026-11-16T00:5${i}:00.000Z`);
      await ingest();
      expect(await title()).toEqual([given, 'person']);
    }
  });

  it.each(['name: made up by Copilot', 'name: |-', 'name: "\\x41"', 'name:', `name: ${'x'.repeat(5000)}`])(
    'stays the first prompt if no person gave a name that can be read: %.40s',
    async (line) => {
      const { name, ingest, title } = await memory();
      name(line, line.length > 30);
      expect((await ingest()).problems).toEqual([]);
      expect((await title())[0]).toBe(prompt);
    },
  );

  it('is redacted, and no file of ours holds the secret', async () => {
    const { name, ingest, title, config, store } = await memory();
    const secret = `ghp_${'aB3'.repeat(12)}`;
    name(`name: the token ${secret}`);
    await ingest();
    expect((await title())[0]).not.toContain(secret);
    const files = () =>
      fs.readdirSync(config.home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const held = () =>
      files().filter((file) => fs.readFileSync(path.join(file.parentPath, file.name), 'latin1').includes(secret));
    expect(held()).toEqual([]);
    expect((await store.sessions.list({ limit: 10 })).length).toBe(2);
  });
});
