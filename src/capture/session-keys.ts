import path from 'node:path';

/** Where a subagent's session may have its transcript: beside the subagent's own, or above the folder of subagents. */
export const sessionKeys = (key: string, session: string): string[] => {
  const folder = path.posix.dirname(key);
  return ['.', '../..', '../../chats'].map((above) => path.posix.join(folder, above, `${session}.jsonl`));
};
