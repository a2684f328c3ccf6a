// What a person told the agent through a tool's result: answers to its questions, and decisions on a plan or on a tool
// that asked first.
import { replyText } from '../../schema/choice.ts';
import type { EntryForm } from '../../schema/entry.ts';
import type { AgentState } from '../agent.ts';
import { asObject, asString, textOfBlocks } from '../json.ts';

export interface Reply {
  /** The tool use that it answers. */
  readonly use: string;
  readonly form: EntryForm;
  readonly text: string;
}

const plansKey = 'plans';
const rememberedPlans = 8;

/** Records which uses ask for approval of a plan; a rejection does not say what was rejected. */
export function notePlans(uses: readonly { readonly id: string; readonly tool: string }[], state: AgentState): void {
  const ids = uses.filter(({ tool }) => tool === 'ExitPlanMode').map(({ id }) => id);
  if (ids.length > 0) state[plansKey] = [...plansOf(state), ...ids].slice(-rememberedPlans).join('\n');
}

const plansOf = (state: AgentState): string[] =>
  typeof state[plansKey] === 'string' ? (state[plansKey] as string).split('\n') : [];

export function readReplies(line: Record<string, unknown>, content: unknown, state: AgentState): Reply[] {
  const found: Reply[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    const block = asObject(part);
    const use = asString(block.tool_use_id);
    if (block.type !== 'tool_result' || use === undefined) continue;
    const output = typeof block.content === 'string' ? block.content : textOfBlocks(block.content).join('\n');
    const isPlan = plansOf(state).includes(use);
    const reply = block.is_error === true ? rejection(output, isPlan) : answered(asObject(line.toolUseResult), output);
    if (reply !== undefined) found.push({ use, ...reply });
  }
  return found;
}

function answered(result: Record<string, unknown>, output: string): Omit<Reply, 'use'> | undefined {
  if (output.startsWith('User has approved your plan')) {
    const plan = planTitle(asString(result.plan));
    const comment = asString(result.userFeedback) ?? asString(result.feedback);
    return {
      form: 'verdict',
      text: [`[Approved the plan${plan}]`, ...(comment === undefined ? [] : [comment])].join('\n'),
    };
  }
  const { questions } = result;
  if (!Array.isArray(questions)) return undefined;
  const notes = asObject(result.annotations);
  const said = Object.entries(asObject(result.answers)).flatMap(([question, answer]) => {
    const chosen = (Array.isArray(answer) ? answer : [answer])
      .filter((one) => typeof one === 'string')
      .join(', ')
      .trim();
    const note = asString(asObject(notes[question]).notes)?.trim();
    if (chosen === '' && note === undefined) return [];
    const meaning = meaningOf(questions, question, chosen);
    return [{ question, answer: [`${chosen}${meaning}`, note === chosen ? '' : note].filter(Boolean).join('\n') }];
  });
  return said.length === 0 ? undefined : { form: 'choice', text: replyText(said) };
}

const longestMeaning = 160;
const longestSentence = 200;

/** What the form says about the chosen option, in brackets: a label such as `Also .tgz` says little alone. Empty if it says nothing. */
function meaningOf(questions: readonly unknown[], question: string, chosen: string): string {
  const asked = questions.map(asObject).find((one) => one.question === question);
  const options = Array.isArray(asked?.options) ? asked.options.map(asObject) : [];
  const text = asString(options.find(({ label }) => label === chosen)?.description)?.trim() ?? '';
  const told = text.length <= longestMeaning ? text : firstSentence(text);
  return told === '' ? '' : ` (${told.replace(/\.$/, '')})`;
}

/** Empty if the text has no short one. */
const firstSentence = (text: string): string => {
  const end = text.slice(0, longestSentence).search(/[.!](?=\s)/);
  return end < 0 ? '' : text.slice(0, end);
};

const rejected = "The user doesn't want to proceed with this tool use";
/** What comes before the person's own words, in older and newer clients. */
const beforeComment = ['the user said:\n', 'The user provided the following reason for the rejection:'];
/** What newer clients add after them, for the model. */
const afterComment = "\n\nNote: The user's next message may contain a correction or preference.";

function rejection(output: string, isPlan: boolean): Omit<Reply, 'use'> | undefined {
  if (!output.startsWith(rejected)) return undefined;
  const lead = beforeComment.find((words) => output.includes(words));
  const after = lead === undefined ? '' : output.slice(output.indexOf(lead) + lead.length);
  const comment = (after.includes(afterComment) ? after.slice(0, after.indexOf(afterComment)) : after).trim();
  if (!isPlan && comment === '') return undefined;
  const text = [isPlan ? '[Rejected the plan]' : '[Rejected the use of a tool]', comment].filter((one) => one !== '');
  return { form: 'verdict', text: text.join('\n') };
}

/** The first line of a plan names it. */
function planTitle(plan: string | undefined): string {
  const line = plan
    ?.slice(0, 1000)
    .trim()
    .split('\n', 1)[0]
    ?.replace(/^#+\s*/, '')
    .slice(0, 200)
    .toWellFormed()
    .trim();
  return line === undefined || line === '' ? '' : `: ${line}`;
}
