// Sessions that an agent rewrites whole with each message. Each message becomes a line once; what a later version
// leaves out stays pulled.
import { derivedId } from './derived-id.ts';
import { asObject } from './json.ts';
import type { PulledLine, PulledRecord } from './pull.ts';
import { isTitle, pulledLine } from './pulled-lines.ts';

export interface WholeMessage {
  /** The agent's own id of the message, if it has one. */
  readonly id?: string | undefined;
  readonly at: number | undefined;
  readonly message: Record<string, unknown>;
}

/**
 * The title comes last: the agent gives it after the first turn and may renew it, and after a private turn it may tell what was said
 * there.
 *
 * Lines for messages that the transcript lacks. A message without an id is identified by its words, and by how many
 * messages before it say the same.
 */
export function* wholeMessages(
  agent: string,
  session: string,
  about: readonly PulledLine[],
  messages: Iterable<WholeMessage>,
  seen: () => ReadonlySet<string>,
): Generator<PulledRecord> {
  const held = seen();
  for (const line of about) if (!isTitle(line) && !held.has(line.id)) yield { line };
  const times = new Map<string, number>();
  for (const { id: own, at, message } of messages) {
    const words = own ?? `${String(message.role)} ${JSON.stringify(message.content ?? asObject(message).parts)}`;
    const nth = times.get(words) ?? 0;
    times.set(words, nth + 1);
    const id = derivedId(agent, session, words, nth);
    if (!held.has(id)) yield { line: pulledLine('message', id, at, message) };
  }
  for (const line of about) if (isTitle(line) && !held.has(line.id)) yield { line };
}
