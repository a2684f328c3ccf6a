// Codex may pack rollouts that were idle for a week with zstd, and unpacks them when they are resumed.
import path from 'node:path';
import { derivedId } from '../derived-id.ts';
import { asObject, asTime, parsedJson } from '../json.ts';
import { type AgentPull, pulledKey } from '../pull.ts';
import { pulledLine } from '../pulled-lines.ts';

const source = /(?:^|\/)rollout-[^/]+\.jsonl\.zst$/;

export const codexPull: AgentPull = {
  isSource: (key) => source.test(key),
  concerns: (key) => source.test(key),
  leadsTo: (key) => /^(?:archived_)?sessions(?:\/|$)/.test(key),
  beside: (key) => /^packed-[^/]+$/.test(key),
  *sessions(file, tools) {
    const name = path.basename(file, '.jsonl.zst');
    yield {
      key: pulledKey(`packed-${name}`),
      mark: tools.stamp(file),
      *records() {
        for (const [index, text] of (tools.unpacked(file) ?? '').split('\n').entries()) {
          const line = asObject(parsedJson(text));
          // No agent could read such a line either.
          if (Object.keys(line).length === 0) continue;
          const id = derivedId('codex', 'packed', name, index);
          yield { line: pulledLine('rollout', id, asTime(line.timestamp), line) };
        }
      },
    };
  },
};
