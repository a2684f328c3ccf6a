// A group's process could not resume its session: try again, or leave the session.
import type { Loss } from '../../agents/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Pointer } from '../../schema/group.ts';
import { groupAgent } from './group-folders.ts';
import type { GroupDeps, LossOutcome } from './group-sessions.ts';

export async function handleLoss(
  { store, clock, ready }: GroupDeps,
  group: string,
  now: Pointer,
  lost: {
    readonly session: string;
    readonly said: Loss | { readonly message: string };
    readonly epoch: number | undefined;
  },
): Promise<LossOutcome> {
  const { session, said, epoch = now.epoch } = lost;
  const loss = typeof said === 'string' ? said : lossIn(now.agent ?? groupAgent, said.message);
  if (loss === undefined) return { next: 'none' };
  if (now.session !== session || now.agent === undefined || epoch !== now.epoch) return { next: 'none', loss };
  const active = { session, agent: now.agent };
  if (loss === 'position' && now.resumeAt !== undefined) {
    await store.groups.setPointer(group, active, { epoch: now.epoch, at: clock() });
    return { next: 'again', loss };
  }
  // Retry only after restoring the transcript. If it was there and the agent did not find it, the agent would not find it next time either.
  if (loss === 'missing' && (await ready(group, active)) === 'restored') return { next: 'again', loss };
  const isLeft = await store.groups.leaveSession(group, active, { at: clock() });
  return { next: isLeft ? 'fresh' : 'none', loss };
}

const lossIn = (agent: AgentName, message: string): Loss | undefined => agentNamed(agent)?.home?.loss(message);
