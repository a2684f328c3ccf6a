import path from 'node:path';
import type { Carry, CarryAbout } from '../carry.ts';
import { asObject, asString } from '../json.ts';

/** OpenCode imports a session from a file in the form of its own export: `opencode import`. */
export const carryIntoOpenCode: Carry = (turns, about) => {
  const { cwd, title, now, folder, newId } = about;
  const unique = newId().replaceAll('-', '').slice(0, 26);
  const session = `ses_${unique}`;
  const model = lastModel(about);
  let user = '';
  const messages = turns.map(({ role, text, at }, i) => {
    // Ids order the messages of a session.
    const number = String(i).padStart(6, '0');
    const id = `msg_${unique.slice(0, 12)}${number}`;
    const parts = [
      { id: `prt_${unique.slice(0, 12)}${number}`, sessionID: session, messageID: id, type: 'text', text },
    ];
    const common = { id, sessionID: session, agent: 'build' };
    if (role === 'user') {
      user = id;
      return {
        info: { ...common, role, time: { created: at }, model: { providerID: model.provider, modelID: model.model } },
        parts,
      };
    }
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const info = {
      ...{ ...common, role, parentID: user, mode: 'build', path: { cwd, root: cwd }, cost: 0, tokens },
      ...{ modelID: model.model, providerID: model.provider, time: { created: at, completed: at }, finish: 'stop' },
    };
    return { info, parts };
  });
  const info = {
    ...{
      id: session,
      slug: `holdfast-${unique.slice(0, 8)}`,
      projectID: 'global',
      directory: cwd,
      title,
      version: '1.18.33',
    },
    time: { created: turns[0]?.at ?? now, updated: now },
  };
  const file = path.join(folder, `${session}.json`);
  return {
    session,
    files: { [file]: `${JSON.stringify({ info, messages })}\n` },
    before: ['opencode', 'import', file],
    command: ['opencode', '-s', session],
  };
};

/** The model that was used last, or that the settings name: OpenCode continues with the model that a session names. */
function lastModel({ root, tools, settingsFile }: CarryAbout): { provider: string; model: string } {
  const file = tools.names(root).find((name) => name === 'opencode.db');
  try {
    const db = file === undefined ? undefined : tools.database(path.join(root, file));
    const row = db?.hasTable('message') ? db.rows('SELECT data FROM message ORDER BY time_created DESC LIMIT 20') : [];
    for (const { data } of row ?? []) {
      const { providerID, modelID, model } = asObject(JSON.parse(String(data)));
      const [provider, name] = [
        asString(providerID ?? asObject(model).providerID),
        asString(modelID ?? asObject(model).modelID),
      ];
      if (provider !== undefined && name !== undefined) return { provider, model: name };
    }
  } catch {
    // Without its database OpenCode asks which model to use.
  }
  const wanted = asString(asObject(settingsFile === undefined ? undefined : tools.json(settingsFile)).model) ?? '';
  const [provider = '', ...model] = wanted.split('/');
  return model.length > 0 ? { provider, model: model.join('/') } : { provider: 'opencode', model: 'unknown' };
}
