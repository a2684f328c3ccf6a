// The numbers of rows that cross a port. They hold in this database only: another machine, or an import into a new
// database, gives other numbers. Whatever must last uses the ids of agents, or agent and key.

/** The row of an entry. */
export type EntryRowId = number;
/** The row of a tool use. */
export type UseRowId = number;
/** The row of a session. */
export type SessionRowId = number;
/** The row of a transcript. */
export type FileRowId = number;
/** The row of an observation, a summary or a memory. Only with its kind does it name one of them. */
export type DerivedRowId = number;
/** The row of an entry or of anything derived from one, together with its kind. */
export type SubjectRowId = EntryRowId | DerivedRowId;
/** A conversation. It changes when its transcript is grouped again. */
export type ConversationId = number;
/** A distillation job. */
export type JobId = number;
/** The number of a vector. Higher numbers are newer; a changed text gets a new one. */
export type VectorNumber = number;
/** A message to a group, or from it. People see this number. */
export type MessageId = number;
/** A run of a group's agent. */
export type RunId = number;
/** A scheduled task. People see this number. */
export type TaskId = number;
