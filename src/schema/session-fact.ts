import { z } from 'zod';

/**
 * What a transcript says about its session besides its messages. `parent`: the session that started this one;
 * `fork-of`: the session whose history it began with; `subagent`: the role in which it was started.
 */
export const FactKind = z.enum(['branch', 'repository', 'link', 'parent', 'fork-of', 'subagent']);
export type FactKind = z.infer<typeof FactKind>;

/** Who named a session: a person, or the agent. */
export const TitleSource = z.enum(['person', 'agent']);
export type TitleSource = z.infer<typeof TitleSource>;
