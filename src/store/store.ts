// ② The store: every port that an engine offers. Each method is one transaction; a promise that resolves is durable.

import type { AdminPort } from './admin/port.ts';
import type { ArchivesPort } from './archives/port.ts';
import type { BriefingsPort } from './briefings/port.ts';
import type { ChangesPort } from './changes/port.ts';
import type { ConversationsPort } from './conversations/port.ts';
import type { DistilledPort } from './distilled/port.ts';
import type { EntriesPort } from './entries/port.ts';
import type { GroupsPort } from './groups/port.ts';
import type { HubPort } from './hub/port.ts';
import type { JobsPort } from './jobs/port.ts';
import type { MemoryPort } from './memory/port.ts';
import type { MessagesPort } from './messages/port.ts';
import type { PagesPort } from './pages/port.ts';
import type { PausesPort } from './pauses/port.ts';
import type { PinsPort } from './pins/port.ts';
import type { ProjectsPort } from './projects/port.ts';
import type { RemovalPort } from './removal/port.ts';
import type { RunsPort } from './runs/port.ts';
import type { SearchPort } from './search/port.ts';
import type { SessionsPort } from './sessions/port.ts';
import type { TasksPort } from './tasks/port.ts';
import type { TranscriptsPort } from './transcripts/port.ts';
import type { TransferPort } from './transfer/port.ts';
import type { UsagePort } from './usage/port.ts';
import type { VaultPort } from './vault/port.ts';
import type { VectorsPort } from './vectors/port.ts';

/** Functions take only the ports they use: `Pick<Store, 'search' | 'vectors'>`. */
export interface Store {
  readonly engine: string;
  /** Where the data is, for messages to a person. */
  readonly location: string;
  close(): Promise<void>;
  readonly transcripts: TranscriptsPort;
  readonly projects: ProjectsPort;
  readonly sessions: SessionsPort;
  readonly entries: EntriesPort;
  readonly search: SearchPort;
  readonly vectors: VectorsPort;
  readonly distilled: DistilledPort;
  readonly conversations: ConversationsPort;
  readonly jobs: JobsPort;
  readonly memory: MemoryPort;
  readonly pages: PagesPort;
  readonly briefings: BriefingsPort;
  readonly pins: PinsPort;
  readonly archives: ArchivesPort;
  readonly usage: UsagePort;
  readonly vault: VaultPort;
  readonly groups: GroupsPort;
  readonly messages: MessagesPort;
  readonly runs: RunsPort;
  readonly tasks: TasksPort;
  readonly hub: HubPort;
  readonly removal: RemovalPort;
  readonly pauses: PausesPort;
  readonly transfer: TransferPort;
  readonly changes: ChangesPort;
  readonly admin: AdminPort;
}
