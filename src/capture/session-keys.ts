import path from 'node:path';

/** Where the transcript of a subagent's session may be: beside its own, or above the folder of subagents. */
export const sessionKeys = (key: string, session: string): string[] => {
  const folder = path.posix.dirname(key);
  return [path.posix.join(folder, `${session}.jsonl`), path.posix.join(folder, '../..', `${session}.jsonl`)];
};

/** Whether a file is the transcript of a session, for agents that put the session's id into its name. */
export const isFileOf = (key: string, session: string): boolean =>
  path.posix.basename(key).includes(session) || path.posix.basename(path.posix.dirname(key)) === session;
