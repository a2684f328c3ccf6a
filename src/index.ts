// The public API. docs/library.md describes each name; a test compares the two.
export { type Holdfast, openHoldfast } from './app/open.ts';
export { ingest } from './capture/ingest.ts';
export { groupDeps } from './operations/groups/group-deps.ts';
export { operations } from './operations/index.ts';
export type { Context, Operation } from './operations/operation.ts';
export { type Briefing, type BriefingRequest, briefing } from './recall/briefing/briefing.ts';
export { type SearchRequest, search } from './recall/search.ts';
export type { Hit } from './schema/hit.ts';
export type { IngestReport } from './schema/ingest-report.ts';
export { createGroup, type GroupSessions, openGroup } from './sessions/groups/groups.ts';
export { type ErrorCode, HoldfastError } from './system/errors.ts';
