// Ports of the store that operations need together. Each name says for what.
import type { IngestStore } from '../capture/ingest.ts';
import type { MemoryDeps } from '../distill/memory/librarian.ts';
import type { HubSideStore } from '../hub/local.ts';
import type { TraceDeps } from './data/forget-traces.ts';
import type { PrepareDeps } from './recall/prepare-briefings.ts';

/** For reading transcripts. */
export type IngestPorts = keyof IngestStore;
/** For changing memory pages. */
export type MemoryPorts = keyof MemoryDeps['store'];
/** For writing briefings. */
export type BriefingPorts = keyof PrepareDeps['store'];
/** For removing what forgetting leaves outside the database. */
export type TracePorts = keyof TraceDeps['store'];
/** For the exchange with a hub. */
export type HubPorts = keyof HubSideStore;
/** For the sessions of a group: reading its transcripts, finding, archiving. */
export type GroupPorts = IngestPorts | 'archives' | 'distilled' | 'groups' | 'search' | 'sessions';
