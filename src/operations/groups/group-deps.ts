// What groups need from the rest: search, ingest, the vault, and the host, which runs their processes. The host itself
// passes `close` and closes them at once.
import fs from 'node:fs';
import path from 'node:path';
import { agentNamed } from '../../agents/index.ts';
import { homeSources, rootOf } from '../../capture/group-sources.ts';
import { restoreSession } from '../../capture/vault/vault-restore.ts';
import { search } from '../../recall/search.ts';
import { ring } from '../../sessions/groups/bell.ts';
import type { GroupDeps } from '../../sessions/groups/groups.ts';
import { embedNow } from '../data/embed-now.ts';
import type { Context } from '../operation.ts';
import type { GroupPorts } from '../ports.ts';
import { permitted } from './permitted.ts';

export function groupDeps(context: Context<GroupPorts>, close?: GroupDeps['close']): GroupDeps {
  const { store, config, clock } = context;
  return {
    store,
    config,
    clock,
    close: close ?? ((group) => void ring(config, { close: group })),
    clean: (name) => permitted(name, 'The name'),
    async takeIn(group) {
      const { sources } = await homeSources(config, group);
      const { ingestSources } = await import('../../capture/ingest-sources.ts');
      const { added } = await ingestSources({ store, config, clock }, sources, false);
      if (added === 0) return;
      await embedNow({ store, config, clock });
    },
    async ready(group, { agent: name, session }) {
      const agent = agentNamed(name);
      if (agent === undefined) return 'unknown';
      const { own } = await restoreSession(context, name, session);
      if (own !== 'unknown') return own;
      // Not in the vault yet.
      const files = await store.transcripts.states(name);
      const isThere = files.some(({ key }) => {
        const about = agent.describe(key);
        if (!key.startsWith(`${group}/`) || about.session !== session || about.subagent !== undefined) return false;
        const file = path.join(rootOf(config, agent, key), key);
        return (fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
      });
      return isThere ? 'there' : 'unknown';
    },
    async search(group, query, limit) {
      const { hits } = await search(context, { query, kind: 'session', limit, filter: { group } });
      return hits.flatMap(({ agent, session, title = '', at, snippet }) =>
        session === undefined || agent === undefined ? [] : [{ agent, session, title, at, snippet }],
      );
    },
  };
}
