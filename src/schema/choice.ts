import { z } from 'zod';

/** A question of the agent, and what the person chose. */
export const Choice = z.object({ question: z.string().min(1).max(2000), answer: z.string().min(1).max(2000) });
export type Choice = z.infer<typeof Choice>;

/** The statement that tells a choice, for people and for search. */
export const choiceText = ({ question, answer }: Choice): string => `Asked “${question}”, the person chose: ${answer}`;

/** The text of an entry of the form `choice`: each question with its answer, or the answer alone if the question is unknown. */
export const replyText = (
  replies: readonly { readonly question?: string | undefined; readonly answer: string }[],
): string =>
  replies.map(({ question, answer }) => (question === undefined ? answer : `${question}\n→ ${answer}`)).join('\n\n');

/** The questions with their answers in the text of such an entry. */
export const choicesInReply = (text: string): Choice[] =>
  text.split(/\n\n(?=[^\n]+\n→ )/).flatMap((block) => {
    const [question = '', ...rest] = block.split(/\n→ /);
    const answer = rest.join(' ').trim();
    return question.trim() === '' || answer === '' ? [] : [{ question, answer }];
  });

/** The choice in a statement that an older version or another machine stored as text alone. Undefined if it tells something else. */
export function choiceIn(statement: string): Choice | undefined {
  const [, question, answer] = /^Asked “(.+)”, the person chose: (.+)$/s.exec(statement) ?? [];
  return question === undefined || answer === undefined ? undefined : { question, answer };
}
