import path from 'node:path';
import { asObject, asString, asTime } from '../json.ts';
import { type AgentPull, type PulledSession, type PullTools, pulledKey } from '../pull.ts';
import { aboutSession, type SessionFacts } from '../pulled-lines.ts';
import { type WholeMessage, wholeMessages } from '../rewritten-json.ts';

const isSession = (key: string): boolean => /(?:^|\/)[^/]+\.messages\.json$/.test(key);

/**
 * Roo's and Kilo's tasks have the form of the older Cline's: the extension's folder distinguishes them, or else the name,
 * which is a time or a uuid.
 */
function isTaskOf(agent: string, key: string): boolean {
  const name = /(?:^|\/)([^/]+)\/api_conversation_history\.json$/.exec(key)?.[1];
  if (name === undefined) return false;
  const folder = /(?:^|\/)(rooveterinaryinc\.|saoudrizwan\.|kilocode\.|\.kilocode\/)/.exec(key)?.[1];
  if (folder !== undefined) return folderOf[agent]?.includes(folder) === true;
  return agent === 'kilo' || agent === (/^\d+$/.test(name) ? 'cline' : 'roo');
}

const folderOf: Readonly<Record<string, readonly string[]>> = {
  cline: ['saoudrizwan.'],
  roo: ['rooveterinaryinc.'],
  kilo: ['kilocode.', '.kilocode/'],
};

export function clinePull(agent: string): AgentPull {
  return {
    isSource: (key) => (agent === 'cline' && isSession(key)) || isTaskOf(agent, key),
    concerns: (key) => key.endsWith('.json'),
    leadsTo: (key) => !/(?:^|\/)(?:checkpoints|cache|db|logs|puppeteer|node_modules|\.git)$/.test(key),
    *sessions(file, tools) {
      const session = isSession(file) ? sessionOf(agent, file, tools) : taskOf(agent, file, tools);
      if (session !== undefined) yield session;
    },
  };
}

/** `<id>.messages.json` with the manifest `<id>.json` beside it. */
function sessionOf(agent: string, file: string, tools: PullTools): PulledSession {
  const id = path.basename(file, '.messages.json');
  const manifestFile = path.join(path.dirname(file), `${id}.json`);
  return {
    key: pulledKey(id),
    mark: `${tools.stamp(file)} ${tools.stamp(manifestFile)}`,
    *records(_, seen) {
      const manifest = asObject(tools.json(manifestFile));
      const metadata = asObject(manifest.metadata);
      const git = asObject(metadata.git);
      const facts: SessionFacts = {
        cwd: asString(manifest.cwd) ?? asString(manifest.workspace_root),
        branch: asString(git.branch),
        repository: asString(git.url),
        title: asString(metadata.title),
      };
      const all = messagesIn(tools.json(file));
      const last = all.at(-1);
      // An answer that is still being written has no metrics yet.
      const isOpen = manifest.status === 'running' && last?.role === 'assistant' && last.metrics === undefined;
      const messages = (isOpen ? all.slice(0, -1) : all).map(
        ({ id: own, ts, role, content }): WholeMessage => ({
          id: asString(own),
          at: asTime(ts),
          message: { role, content },
        }),
      );
      const lines = aboutSession(agent, id, facts, asTime(manifest.started_at));
      if (messages.length > 0) yield* wholeMessages(agent, id, lines, messages, seen);
    },
  };
}

/** `tasks/<task>/api_conversation_history.json`, without ids, and without times before 2025. */
function taskOf(agent: string, file: string, tools: PullTools): PulledSession {
  const folder = path.dirname(file);
  const id = path.basename(folder);
  const item = path.join(folder, 'history_item.json');
  return {
    key: pulledKey(id),
    mark: `${tools.stamp(file)} ${tools.stamp(item)}`,
    *records(_, seen) {
      const history = asObject(tools.json(item));
      const all = messagesIn(tools.json(file));
      const began = /^\d{12,14}$/.test(id) ? Number(id) : asTime(history.ts);
      const facts: SessionFacts = { cwd: asString(history.workspace) ?? folderIn(all) };
      const messages = all.map(({ ts, role, content, isSummary }, i): WholeMessage => {
        const at = asTime(ts) ?? (i === 0 ? began : undefined) ?? tools.writtenAt(file);
        const message = { role, content, ...(isSummary === true ? { summary: true } : {}) };
        return { at: at === undefined ? undefined : Math.trunc(at), message };
      });
      if (messages.length > 0) yield* wholeMessages(agent, id, aboutSession(agent, id, facts, began), messages, seen);
    },
  };
}

function messagesIn(value: unknown): Record<string, unknown>[] {
  const list = Array.isArray(value) ? value : asObject(value).messages;
  return Array.isArray(list) ? list.map(asObject) : [];
}

/** The first message names the folder: `# Current Working Directory (/home/dev/proj) Files`. */
function folderIn(messages: readonly Record<string, unknown>[]): string | undefined {
  const text = JSON.stringify(messages[0]?.content ?? '').slice(0, 100_000);
  return /# Current (?:Working|Workspace) Directory \(([^)"\\]{1,1000})\)/.exec(text)?.[1];
}
