// The filters that several operations share: their declaration, and their meaning for the store.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { projectOf } from '../../capture/project.ts';
import { AgentName } from '../../schema/agent-name.ts';
import type { DistilledFilter } from '../../store/distilled/port.ts';
import { followLinks, isWithin } from '../../store/projects/follow-links.ts';
import type { ProjectFilter } from '../../store/projects/port.ts';
import type { SessionFilter } from '../../store/sessions/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { statIfAny } from '../../system/read-some.ts';
import type { Context } from '../operation.ts';
import { parseSince, parseUntil } from './when.ts';

export const filterFields = {
  project: z.string().min(1).optional().describe('name of a project, or any path inside it'),
  agent: AgentName.optional().describe('only sessions of this agent'),
  group: z.string().min(1).optional().describe('only sessions of this group; without it, no sessions of groups'),
  since: z
    .string()
    .optional()
    .describe('from this date on: 2026-03-01, 2026-03, 3d, 12h, yesterday, monday, last week'),
  until: z.string().optional().describe('up to and including this date'),
  starred: z.boolean().optional().describe('only sessions that you have starred'),
  tag: z.string().min(1).optional().describe('only sessions with this tag'),
};

export const limitField = z.int().min(1).max(1000);

/** For observations and summaries alike. */
export const distilledFields = {
  ...filterFields,
  session: z.string().min(1).optional().describe('only from this session; the beginning of its id is enough'),
  file: z
    .string()
    .min(1)
    .optional()
    .describe('only where this file was read or modified; the end of its path is enough'),
  limit: limitField.default(20).describe('at most this many'),
};

export interface Filters {
  readonly project?: string | undefined;
  readonly agent?: AgentName | undefined;
  readonly group?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly starred?: boolean | undefined;
  readonly tag?: string | undefined;
}

/** With `anyProject`, the project may be one that no session here worked in. */
export async function toFilter(
  context: Context<'projects'>,
  input: Filters,
  { anyProject = false }: { readonly anyProject?: boolean } = {},
): Promise<SessionFilter> {
  const { config, store, clock } = context;
  const at = { now: clock(), timeZone: config.settings.timeZone };
  const since = input.since === undefined ? undefined : parseSince(input.since, at);
  const until = input.until === undefined ? undefined : parseUntil(input.until, at);
  if (since !== undefined && until !== undefined && since >= until)
    throw new HoldfastError('BAD_INPUT', `--since ${input.since} is not before --until ${input.until}`, {
      hint: 'Swap them, or leave one out.',
    });
  const project =
    input.project === undefined ? undefined : await toProject(store, input.project, config.settings.separateWorktrees);
  if (project !== undefined && !anyProject) await refuseUnknown(store, input.project as string, project);
  const several = context.warn && project && (await sameNamed(store, project));
  if (several !== undefined) context.warn?.(several);
  return {
    ...(project === undefined ? {} : { project }),
    ...(input.agent === undefined ? {} : { agent: input.agent }),
    ...(input.group === undefined ? {} : { group: input.group.trim() }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(input.starred ? { starred: true } : {}),
    ...(input.tag === undefined ? {} : { tag: input.tag.trim().toLowerCase() }),
  };
}

/** A folder may have no sessions yet; a name that no project has is a mistake, and must not look like lost memory. */
export async function refuseUnknown(
  store: Pick<Store, 'projects'>,
  text: string,
  project: ProjectFilter,
): Promise<void> {
  // A folder, which agents name in each search, costs no list of all projects.
  if ('path' in project && (!looksLikeLabel(text) || existsSync(project.path))) return;
  const known = await store.projects.list();
  const isKnown =
    'name' in project
      ? known.some(({ name }) => name === project.name)
      : known.some(({ path }) => isWithin(path, project.path) || isWithin(project.path, path));
  if (isKnown) return;
  if (known.length === 0)
    throw new HoldfastError('NOT_FOUND', `There is no project ${JSON.stringify(text)}`, {
      hint: 'No session is imported yet: holdfast ingest',
    });
  const wanted = text.toLowerCase();
  const near = known.filter(
    ({ label }) => label.toLowerCase().includes(wanted) || wanted.includes(label.toLowerCase()),
  );
  const maybe = near.slice(0, mostNamed).map(({ label }) => label);
  throw new HoldfastError('NOT_FOUND', `There is no project ${JSON.stringify(text)}`, {
    hint: maybe.length > 0 ? `Did you mean: ${maybe.join(', ')}?` : 'List projects with: holdfast projects',
  });
}

/** As lists show a project whose name is not its own: `ada/cli`. */
const looksLikeLabel = (text: string): boolean =>
  /[/\\]/.test(text) && !isAbsolute(text) && !/^(?:~|\.{1,2})(?:[/\\]|$)/.test(text);

const mostNamed = 4;

/** A warning for a name that several projects share, so that they do not look like one project. */
export async function sameNamed(store: Pick<Store, 'projects'>, project: ProjectFilter): Promise<string | undefined> {
  const labels = await labelsNamed(store, project);
  if (labels.length < 2) return undefined;
  return `${labels.length} projects are called ${nameOf(project)}, and all are included. Choose one by its name or path: ${shortened(labels)}`;
}

/** For what is about one project only. */
export async function refuseSeveral(store: Pick<Store, 'projects'>, project: ProjectFilter): Promise<void> {
  const labels = await labelsNamed(store, project);
  if (labels.length < 2) return;
  throw new HoldfastError('AMBIGUOUS', `${labels.length} projects are called ${nameOf(project)}`, {
    hint: `Choose one by its name or path: ${shortened(labels)}`,
  });
}

const nameOf = (project: ProjectFilter): string => ('name' in project ? project.name : project.path);

async function labelsNamed(store: Pick<Store, 'projects'>, project: ProjectFilter): Promise<string[]> {
  if (!('name' in project)) return [];
  return (await store.projects.list()).filter(({ name }) => name === project.name).map(({ label }) => label);
}

const shortened = (labels: readonly string[]): string =>
  `${labels.slice(0, mostNamed).join(', ')}${labels.length > mostNamed ? ', …' : ''}`;

/** Expands `~/x` as a shell would. */
export const withHome = (text: string): string => (/^~(?:[/\\]|$)/.test(text) ? join(homedir(), text.slice(1)) : text);

export async function toDistilledFilter(
  context: Context<'projects'>,
  input: Filters & {
    readonly session?: string | undefined;
    readonly file?: string | undefined;
    readonly limit: number;
  },
): Promise<DistilledFilter> {
  const { session, file, limit } = input;
  return {
    ...(await toFilter(context, input)),
    ...(session === undefined ? {} : { session: session.trim() }),
    ...(file === undefined ? {} : { file: file.trim() }),
    limit,
  };
}

/** The name under which memories keep a project. */
export async function projectName({ store, config }: Context<'projects'>, given: string): Promise<string> {
  const project = await toProject(store, given, config.settings.separateWorktrees);
  if ('name' in project) return project.name;
  const known = await store.projects.digest(project);
  return known?.name ?? project.path.split(/[/\\]/).filter(Boolean).at(-1) ?? given;
}

/** A path if it looks like one, or if it is a folder here and not the name of a project. */
export async function toProject(
  store: Pick<Store, 'projects'>,
  text: string,
  separateWorktrees = false,
): Promise<ProjectFilter> {
  if (text.includes('\0')) throw new HoldfastError('BAD_INPUT', 'No project has a null byte in its name or path');
  if (isTooLong(text))
    throw new HoldfastError('BAD_INPUT', 'project: the text is longer than any name or path', {
      hint: 'A name has at most 255 bytes, a path 4,096.',
    });
  const folder = (given: string): ProjectFilter => ({ path: ofRepository(resolve(given), separateWorktrees) });
  if (/^~(?:[/\\]|$)/.test(text)) return folder(withHome(text));
  if (isAbsolute(text)) return folder(text);
  const known = await store.projects.list();
  // If no transcript names a folder, the project's path is where the transcript was: not a path on this machine, but
  // still its own.
  if (known.some(({ path }) => path === text)) return { path: text };
  const isFolder = statIfAny(resolve(text))?.isDirectory() === true;
  const labelled = known.find(({ name, label }) => label === text && label !== name);
  if (labelled !== undefined && !isFolder) return { path: labelled.path };
  if (/[/\\]/.test(text) || /^\.{1,2}$/.test(text)) return folder(text);
  if (isFolder && !known.some((project) => project.name === text)) return folder(text);
  return { name: text };
}

/** Longer than any file name or path can be. */
export const isTooLong = (text: string): boolean =>
  Buffer.byteLength(text) > 4096 || text.split(/[/\\]/).some((part) => Buffer.byteLength(part) > 255);

/** The same filters for a process that runs in another folder; undefined if only this process can tell what is meant. */
export function fromElsewhere<T extends { readonly project?: string | undefined }>(input: T): T | undefined {
  const { project } = input;
  if (project === undefined) return input;
  const path = resolve(withHome(project));
  if (/^(?:\.{1,2}|~)$/.test(project)) return { ...input, project: path };
  // `ada/cli` may be a folder here, or the name of a project.
  if (/[/\\]/.test(project))
    return isAbsolute(withHome(project)) || existsSync(path) ? { ...input, project: path } : undefined;
  return existsSync(path) ? undefined : input;
}

/**
 * The project whose memory a session in a folder gets. A repository has its own memory, even if that is empty; another
 * folder may get that of the project around it, but never that of a home folder or above.
 */
export async function ownProject(
  { config, store }: Context<'projects'>,
  text: string,
): Promise<ProjectFilter | undefined> {
  const { separateWorktrees } = config.settings;
  const meant = await toProject(store, text, separateWorktrees);
  if ('name' in meant) return meant;
  const folder = followLinks(meant.path, await store.projects.links());
  const root = projectOf(folder, separateWorktrees);
  const around = (await store.projects.digest({ path: root }))?.path;
  if (around === undefined || around === root) return around === undefined ? undefined : { path: root };
  const isRepository = root !== folder || existsSync(join(root, '.git'));
  return isRepository || isWithin(homedir(), around) ? undefined : { path: around };
}

/** A worktree beside its repository counts as the repository. */
function ofRepository(folder: string, separateWorktrees: boolean): string {
  const project = projectOf(folder, separateWorktrees);
  return isWithin(folder, project) ? folder : project;
}
