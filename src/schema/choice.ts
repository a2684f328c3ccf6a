import { z } from 'zod';

/** A question of the agent, and what the person chose. */
export const Choice = z.object({ question: z.string().min(1).max(2000), answer: z.string().min(1).max(2000) });
export type Choice = z.infer<typeof Choice>;

/** The statement that tells a choice, for people and for search. */
export const choiceText = ({ question, answer }: Choice): string => `Asked “${question}”, the person chose: ${answer}`;

/** The choice in a statement that an older version or another machine stored as text alone. Undefined if it tells something else. */
export function choiceIn(statement: string): Choice | undefined {
  const [, question, answer] = /^Asked “(.+)”, the person chose: (.+)$/s.exec(statement) ?? [];
  return question === undefined || answer === undefined ? undefined : { question, answer };
}
