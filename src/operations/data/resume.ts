// Continues an old session in its agent, even if the agent has deleted the transcript.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { z } from 'zod';
import { type Agent, isTranscriptOf } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import { rootOf } from '../../capture/group-sources.ts';
import { agentHas } from '../../capture/pull/pull.ts';
import { restoreSession } from '../../capture/vault/vault-restore.ts';
import { AgentName } from '../../schema/agent-name.ts';
import { Carrier } from '../../schema/carriers.ts';
import { Session } from '../../schema/session.ts';
import { HoldfastError, systemCode } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { sessionMeant } from '../recall/session-meant.ts';
import { carrySession } from './carry.ts';
import { teammatesSession, transcriptFromHub } from './resume-from-hub.ts';

export const resume = operation({
  name: 'resume',
  ending: 'orderly',
  summary:
    'Continue a session in its agent: chosen from a list, by id, or by what was said; restores a deleted transcript',
  input: z.object({
    session: z.string().min(1).optional().meta({
      description: 'id of a session (its beginning is enough), or words; without it, choose from a list',
      rest: true,
    }),
    print: z.boolean().default(false).describe('show the command instead of running it'),
    agent: AgentName.optional().describe('the agent, if two agents use the same id'),
    in: Carrier.optional().describe('continue it in this agent, as a new session that is linked to the old one'),
  }),
  output: z.union([
    z.object({
      session: Session,
      command: z.array(z.string()),
      before: z.array(z.string()).optional().describe('a command to run first'),
      carried: z
        .object({ agent: AgentName, session: z.string(), files: z.array(z.string()) })
        .optional()
        .describe('the new session in another agent'),
      folder: z.string().describe('where the command is run'),
      folderIsGone: z.boolean().optional().describe('the folder no longer exists: it was moved or deleted'),
      restored: z.array(z.string()).describe('restored transcripts'),
      ended: z.int().optional().describe('exit code of the agent, if it was run'),
    }),
    z.object({
      sessions: z.array(Session).describe('to choose from, newest first, if there is no terminal to ask in'),
    }),
  ]),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['session'],
  examples: [
    'holdfast resume',
    'holdfast resume 0f3c',
    'holdfast resume retry queue',
    'holdfast resume 0f3c --print',
    'holdfast resume 0f3c --in codex',
  ],
  succeeded: (output) => 'sessions' in output || output.ended === undefined || output.ended === 0,
  async run(
    context: Context<
      | 'conversations'
      | 'distilled'
      | 'entries'
      | 'groups'
      | 'pauses'
      | 'projects'
      | 'removal'
      | 'search'
      | 'sessions'
      | 'transcripts'
      | 'vault'
      | 'vectors'
    >,
    { session: words, print, agent, in: into },
  ) {
    if (!print && context.person === undefined)
      throw new HoldfastError('BAD_INPUT', 'An agent can only run in a terminal', {
        hint: 'Ask with `print` for the command, and run that.',
      });
    const session =
      words === undefined
        ? await context.person?.chooseSession?.(agent)
        : await sessionOrTeammates(context, words.trim(), agent);
    if (session === undefined) {
      const all = await context.store.sessions.list(agent === undefined ? {} : { agent });
      return { sessions: all.filter(({ resume }) => resume !== undefined).slice(0, mostListed) };
    }
    const group = await context.store.groups.of({ agent: session.agent, session: session.id });
    if (group !== undefined)
      throw new HoldfastError(
        'CONFLICT',
        `This session belongs to the group ${group}, whose agent has its own home folder`,
        {
          hint: `Continue it in the group: holdfast groups resume ${group} ${session.id}`,
        },
      );
    if (into !== undefined && into !== session.agent) return continueIn(context, session, into, print);
    const known = agents.find(({ name }) => name === session.agent);
    const command = known?.resume(session.id) ?? [];
    if (known === undefined || command.length === 0)
      throw new HoldfastError('BAD_INPUT', `Sessions of ${known?.title ?? session.agent} cannot be resumed from here`, {
        hint: `Continue it in another agent: holdfast resume ${session.id} --in claude-code. Or read it: holdfast show ${session.id}`,
      });
    const folderIsGone = !isFolder(session.cwd);
    if (folderIsGone && !print)
      throw new HoldfastError('NOT_FOUND', `The folder of this session, ${session.cwd}, does not exist`, {
        hint: `If it was moved, say where it is now: holdfast projects link ${session.projectPath || session.cwd} <new folder>\nThe command is: ${command.join(' ')}`,
      });
    // Our own transcript of such a session, even restored, is nothing that the agent could open. It may take a copy.
    if (agentHas(context.config, known, session.id) === false) {
      if (known.carry !== undefined) return continueIn(context, session, known.name, print);
      throw new HoldfastError('NOT_FOUND', `${known.title} no longer has session ${session.id} on this machine`, {
        hint: `Continue it in another agent: holdfast resume ${session.id} --in claude-code. Or read it: holdfast show ${session.id}`,
      });
    }
    const { own, restored } = await restoreSession(context, session.agent, session.id);
    const isHere = own !== 'unknown' || (await transcriptIsThere(context, session));
    const fetched = isHere ? undefined : await transcriptFromHub(context, session);
    if (fetched !== undefined) restored.push(fetched);
    if (!isHere && fetched === undefined) {
      if (into !== undefined && known.carry !== undefined) return continueIn(context, session, into, print);
      throw new HoldfastError(
        'NOT_FOUND',
        `The transcript of session ${session.id} is gone, and the vault has no copy`,
        { hint: withoutTranscript(session, known) },
      );
    }
    const gone = folderIsGone ? { folderIsGone } : {};
    const answer = { session, command: [...command], folder: session.cwd, ...gone, restored };
    return print ? answer : { ...answer, ended: await runAgent(command, session.cwd, known.title) };
  },
});

const withoutTranscript = ({ id }: Session, { name, carry }: Agent): string =>
  [
    ...(carry === undefined ? [] : [`Continue in a new session with its messages: holdfast resume ${id} --in ${name}`]),
    `What was said is still here: holdfast show ${id}`,
  ].join('\n');

/** Writes the messages as a new session of an agent, and continues there. */
async function continueIn(context: Context<'entries'>, session: Session, into: AgentName, print: boolean) {
  const title = agents.find(({ name }) => name === into)?.title ?? into;
  const folderIsGone = !isFolder(session.cwd);
  if (folderIsGone && !print)
    throw new HoldfastError('NOT_FOUND', `The folder of this session, ${session.cwd}, does not exist`, {
      hint: `If it was moved, say where it is now: holdfast projects link ${session.projectPath || session.cwd} <new folder>`,
    });
  const { command, before, session: id, files } = await carrySession(context, session, into);
  const answer = {
    ...{ session, command: [...command], folder: session.cwd, restored: [] },
    ...(before === undefined ? {} : { before: [...before] }),
    ...(folderIsGone ? { folderIsGone } : {}),
    carried: { agent: into, session: id, files: Object.keys(files) },
  };
  if (print) return answer;
  const taken = before === undefined ? 0 : await runAgent(before, session.cwd, title);
  return { ...answer, ended: taken === 0 ? await runAgent(command, session.cwd, title) : taken };
}

/** Local sessions come first, then what teammates share. */
async function sessionOrTeammates(
  context: Context<'conversations' | 'distilled' | 'entries' | 'search' | 'sessions' | 'vectors'>,
  words: string,
  agent: AgentName | undefined,
): Promise<Session | undefined> {
  try {
    return await sessionMeant(context, words, agent);
  } catch (error) {
    const shared =
      (error as HoldfastError).code === 'NOT_FOUND' ? await teammatesSession(context, words, agent) : undefined;
    if (shared === undefined) throw error;
    return shared;
  }
}

/** `holdfast sessions` lists more. */
const mostListed = 20;

async function transcriptIsThere({ store, config }: Context<'transcripts'>, { agent, id }: Session): Promise<boolean> {
  const known = agents.find(({ name }) => name === agent);
  if (known === undefined) return false;
  const files = await store.transcripts.states(agent);
  return files.some(
    ({ key }) => isTranscriptOf(known, key, id) && fs.existsSync(`${rootOf(config, known, key)}/${key}`),
  );
}

function isFolder(folder: string): boolean {
  return folder !== '' && fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

function runAgent([program = '', ...args]: readonly string[], folder: string, title: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, stdio: 'inherit' });
    // The agent has the terminal now. Ctrl+C is for the agent; we end when it does.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    child.once('error', (error) => {
      process.removeListener('SIGINT', ignore);
      reject(
        systemCode(error) === 'ENOENT'
          ? new HoldfastError(
              'NOT_FOUND',
              `${title} could not be started: there is no program ${program} on the PATH`,
              {
                hint: `Run this where it is installed: ${[program, ...args].join(' ')}`,
              },
            )
          : error,
      );
    });
    child.once('exit', (code, signal) => {
      process.removeListener('SIGINT', ignore);
      resolve(signal === null ? (code ?? 0) : 1);
    });
  });
}
