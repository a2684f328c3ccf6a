// Stores what a group's agent says: its session, its answers, and the position in the session that they reach.
import type { GroupSessions } from '../sessions/groups/groups.ts';
import { allowMessage } from './allowance.ts';
import { persist } from './persist.ts';
import type { Run } from './run.ts';
import type { Said } from './run-state.ts';

/** How far a session has come. */
export interface ResumePoint {
  readonly session?: string | undefined;
  readonly resumeAt?: string | undefined;
}

export interface RunRecord {
  /** False if the group has another session by now. */
  session(told: string): Promise<boolean>;
  answer(said: Said, text: string, answers: readonly number[]): Promise<void>;
}

/** Contract: call its methods one after the other, in the order in which the agent spoke. */
export function openRecord(run: Run, opened: GroupSessions, from: ResumePoint, isGroups: boolean): RunRecord {
  const { deps, group, task } = run;
  const { store, clock, tell } = deps;
  let place = from;
  const setPointer = ({ session, resumeAt }: ResumePoint & { readonly session: string }) =>
    persist(run, () => opened.activate(session, { epoch: run.epoch, resumeAt }));

  return {
    async session(told) {
      if (!isGroups) return true;
      // A resumed session keeps the position that its last answer reached.
      if (told !== place.session) place = { session: told };
      return setPointer({ session: told, resumeAt: place.resumeAt });
    },
    async answer(said, text, answers) {
      place = { session: said.session, resumeAt: said.at };
      const position = isGroups && said.at !== undefined ? { epoch: run.epoch, at: said.at } : undefined;
      if (said.text === '' && answers.length === 0) {
        if (position !== undefined) await setPointer({ session: said.session, resumeAt: said.at });
        return;
      }
      // Text that answers no message counts as a message of the agent's own.
      if (answers.length === 0 && task === undefined) await allowMessage(store, group, text, clock.now());
      const { session } = said;
      const out = await persist(run, () =>
        store.messages.putOut(
          { group, kind: 'answer', text, answers, run: run.id, task: task?.id, session, position },
          clock.now(),
        ),
      );
      tell({ group, out: out.id });
      if (answers.length > 0) deps.answered?.();
    },
  };
}
