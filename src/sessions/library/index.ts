// `import { SessionManager } from 'holdfast/sessions'`: for your own agents. Imports nothing but Node.
export { type Autosave, type AutosaveOptions, autosave, type SignificantEvent } from './autosave.ts';
export type { SessionFileSystem } from './files.ts';
export { type SaveOptions, SessionManager, type SessionManagerOptions } from './manager.ts';
export { SessionError, type SessionErrorCode } from './names.ts';
export type { SessionIndex, SessionMetadata, StoredMessage, StoredSession } from './shape.ts';
