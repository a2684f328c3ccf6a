// Projects: the working trees that sessions ran in, and folders that were moved.
import type { Project } from '../../schema/project.ts';

/** All projects with a name, or the one project that contains a path. */
export type ProjectFilter = { readonly name: string } | { readonly path: string };

/** A project in figures. Only sessions with a prompt by a person count. */
export interface ProjectDigest {
  readonly name: string;
  readonly path: string;
  readonly sessions: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** A folder that was moved. Work in the old folder, or below it, counts as done in the new one. */
export interface ProjectLink {
  readonly from: string;
  readonly to: string;
}

export interface ProjectPlace {
  readonly path: string;
  readonly name: string;
  /** The repository of the folder, as git names it. Undefined if it is in none, or was not looked at. */
  readonly repository?: string | undefined;
  /** What sessions say: `owner/name`, or with the host in front. */
  readonly repositories: readonly string[];
}

export interface ProjectsPort {
  list(): Promise<readonly Project[]>;
  /** Every project that sessions worked in, with its repositories. Cheap: it counts nothing. */
  places(): Promise<readonly ProjectPlace[]>;
  /** Folders whose repository was not looked up yet; with `missed`, also those that were in none when we looked. */
  unidentified(missed: boolean): Promise<readonly string[]>;
  /** Notes the repository of a folder, or that it is in none. */
  identify(path: string, repository: string | undefined): Promise<void>;
  /** The project with this name or around this path. If several have the name, the one used last. */
  digest(project: ProjectFilter): Promise<ProjectDigest | undefined>;
  links(): Promise<readonly ProjectLink[]>;
  /** Stores a link, and moves the sessions of each project in `moves` to the other. Returns how many moved. */
  link(link: ProjectLink, moves: readonly ProjectLink[]): Promise<number>;
}
