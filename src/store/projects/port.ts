// Projects: the working trees that sessions ran in, and the folders that were moved.
import type { Project } from '../../schema/project.ts';

/** All projects of a name, or the one project that a path lies in. */
export type ProjectFilter = { readonly name: string } | { readonly path: string };

/** A project, in figures. Only sessions in which a person spoke count. */
export interface ProjectDigest {
  readonly name: string;
  readonly path: string;
  readonly sessions: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** A folder that was moved. What happened in the old one, or below it, counts as done in the new one. */
export interface ProjectLink {
  readonly from: string;
  readonly to: string;
}

export interface ProjectPlace {
  readonly path: string;
  readonly name: string;
  /** As `owner/name` or with the host before it. */
  readonly repositories: readonly string[];
}

/** The projects that sessions worked in. */
export interface ProjectsPort {
  list(): Promise<readonly Project[]>;
  /** Every project that sessions worked in, with the repositories that they name. Cheap: it counts nothing. */
  places(): Promise<readonly ProjectPlace[]>;
  /** The project of the name, or around the path; of several with the name, the one last worked in. */
  digest(project: ProjectFilter): Promise<ProjectDigest | undefined>;
  links(): Promise<readonly ProjectLink[]>;
  /** Remembers a link, and gives the sessions of each project in `moves` to the other. Returns how many moved. */
  link(link: ProjectLink, moves: readonly ProjectLink[]): Promise<number>;
}
