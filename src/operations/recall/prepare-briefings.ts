// Writes briefings into the files that hooks print: one per project, and one per session of it that may continue.
import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { ignoring } from '../../capture/keep.ts';
import { projectOf } from '../../capture/project.ts';
import type { Config } from '../../config/config.ts';
import { version } from '../../package.ts';
import { openBriefings } from '../../recall/briefing/briefing.ts';
import { teammatesNote } from '../../recall/briefing/teammates.ts';
import { followLinks, isWithin } from '../../store/projects/follow-links.ts';
import type { ProjectLink } from '../../store/projects/port.ts';
import type { Store } from '../../store/store.ts';
import { type BriefingFolder, briefingFolder, briefingNames } from '../../system/briefing-folder.ts';
import { hooked } from '../machine/install.ts';

export interface PrepareDeps {
  readonly store: Pick<Store, 'distilled' | 'entries' | 'hub' | 'memory' | 'pins' | 'projects' | 'search' | 'sessions'>;
  readonly config: Config;
  readonly clock: () => number;
}

/** Claude Code deletes its transcripts after this time; an older session rarely continues. */
const goesOnForMs = 30 * 86_400_000;
/** The time that a command may take to rewrite briefings; the worker does the rest. */
const patienceMs = 500;

/** Besides the rows of sessions and memories, this decides what briefings say and where they are. */
export async function briefingRules({ store, config }: PrepareDeps): Promise<string> {
  const { briefingTokens, timeZone, separateWorktrees } = config.settings;
  const settings = [version(), briefingTokens, timeZone, separateWorktrees, config.ignore];
  return JSON.stringify([
    settings,
    await store.pins.list(),
    await store.projects.links(),
    await store.hub.note(teammatesNote),
  ]);
}

/** Writes the notes of one project. Returns the folders in which a session finds them. */
export async function prepareProject(
  deps: PrepareDeps,
  project: string,
  folder: BriefingFolder = briefingFolder(deps.config.home),
): Promise<readonly string[]> {
  const { store, config } = deps;
  // A transcript may name any path; only a plain absolute path may lead into the tree of notes.
  if (!path.posix.isAbsolute(project) || path.posix.resolve(project) !== project || project.includes('\0')) return [];
  const links = await store.projects.links();
  const { separateWorktrees } = config.settings;
  // A folder that has become part of another project, or was moved, gets no notes.
  if (projectOf(followLinks(project, links), separateWorktrees) !== project) {
    folder.putNotes(project, new Map());
    return [];
  }
  const notes = await notesOf(deps, project, folder);
  return [project, ...aliases(project, links)].filter((place) => folder.putNotes(place, notes));
}

/** The old folders of sessions whose project was moved. */
const aliases = (project: string, links: readonly ProjectLink[]): string[] =>
  links.filter(({ to }) => isWithin(project, to)).map(({ from, to }) => from + project.slice(to.length));

async function notesOf(deps: PrepareDeps, project: string, folder: BriefingFolder): Promise<Map<string, string>> {
  const { config, clock } = deps;
  // An empty note keeps a session from getting the briefing of the project around this one.
  const notes = new Map([[briefingNames.project as string, '']]);
  if (ignoring(config.ignore, projectOf)(project)) return notes;
  const about = await openBriefings(deps, { path: project });
  if (about === undefined || about.project.path !== project) return notes;
  const put = (name: string, text: string) =>
    notes.set(name, text === '' ? '' : folder.putText(about.project.name, text));
  put(briefingNames.project, (await about.tell({ source: 'startup' })).text);
  for (const { id, agent, endedAt } of about.known) {
    if (clock() - endedAt > goesOnForMs || !hooked.some(({ name }) => name === agent)) continue;
    put(id, (await about.tell({ session: id, source: 'resume' })).text);
  }
  return notes;
}

/**
 * For commands that change what briefings may say. Every old text is gone when this resolves. Recently active projects
 * get new briefings at once, the rest from the worker. Does nothing if nothing was ever prepared.
 */
export async function renewBriefings(
  deps: PrepareDeps,
  wasPrepared = briefingFolder(deps.config.home).exists(),
): Promise<void> {
  const folder = briefingFolder(deps.config.home);
  if (!wasPrepared) return;
  folder.clear();
  folder.separateWorktrees(deps.config.settings.separateWorktrees);
  const until = performance.now() + patienceMs;
  for (const { path: project } of await deps.store.projects.list()) {
    if (performance.now() > until) return;
    await prepareProject(deps, project, folder);
    await breathe();
  }
}
