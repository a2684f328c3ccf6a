// `/clear` or `/clear NAME` as a message is the group's own clear: the client's would start a session and archive nothing. All other
// commands go to the agent.

import type { OutgoingMessage } from '../schema/group-message.ts';
import type { GroupSessions } from '../sessions/groups/groups.ts';
import type { Store } from '../store/store.ts';
import { explain } from '../system/errors.ts';

/** Undefined for any other text. `reset` and `new` are the client's other names for it. */
export function clearIn(text: string): { readonly name: string | undefined } | undefined {
  const found = /^\/(?:clear|reset|new)(?:\s+(.*))?$/s.exec(text.trim());
  return found === null ? undefined : { name: found[1] };
}

/** Clears, if that is the group's first waiting message. This is a run without an agent. Returns what people are told. */
export async function clearIfFirst(
  store: Pick<Store, 'messages'>,
  group: Pick<GroupSessions, 'name' | 'clear'>,
  run: number,
  now: () => number,
): Promise<OutgoingMessage | undefined> {
  const [first] = await store.messages.waiting(group.name);
  const command = first && clearIn(first.text);
  if (first === undefined || command === undefined) return undefined;
  await store.messages.hand(run, [first.id]);
  const said = await cleared(group, command.name).catch((error) => ({
    kind: 'notice' as const,
    text: `Nothing was cleared: ${explain(error, 'the host').message}.`,
  }));
  return store.messages.putOut({ group: group.name, ...said, answers: [first.id], run }, now());
}

async function cleared(group: Pick<GroupSessions, 'clear'>, name: string | undefined) {
  const { session, bookmark } = await group.clear(name);
  const last =
    session === undefined
      ? ''
      : bookmark === undefined
        ? ' The last one has no name; it can still be found by searching.'
        : ` The last one is kept as “${bookmark.name}”.`;
  return { kind: 'answer' as const, text: `A new conversation begins.${last}`, session };
}
