// How an agent reports its running sessions to us: what its settings contain, and how to remove it again. Only data
// goes in and out; the caller reads and writes the files.

/**
 * A file in the data folder that names the process that a hook has started as the worker, until that process has looked
 * for the worker's claim.
 */
export const startingName = 'worker.starting';

export type JsonPath = readonly (string | number)[];

export interface Insertion {
  /** Ends with a new key of an existing object, or with the length of an existing array. */
  readonly path: JsonPath;
  readonly value: unknown;
}

/** What a hook must know to work with this data folder. */
export interface HookLink {
  readonly version: string;
  /** The data folder. */
  readonly home: string;
  /** The Node that runs the worker, and the program that answers prompts. */
  readonly node: string;
  readonly program: string;
  /** The command line, which also serves MCP. */
  readonly cli: string;
  /** Whether to add relevant memory to prompts. */
  readonly recall: boolean;
}

export interface HooksFound {
  /** Events that report to us. */
  readonly events: readonly string[];
  /** Events that should report and do not. */
  readonly missing: readonly string[];
  /** Events whose hook belongs to another version or data folder, or is no longer needed. */
  readonly outdated: readonly string[];
  /** The version that wrote them. */
  readonly version: string | undefined;
  /** They report to another data folder. */
  readonly elsewhere: boolean;
}

export interface AgentHooks {
  /** The agent's settings file of this person. */
  settingsFile(env: NodeJS.ProcessEnv, home: string): string;
  /** Contract: never throws on any JSON value. */
  find(settings: unknown, link: HookLink): HooksFound;
  /** What to add to settings that contain no hook of Holdfast. Throws if their shape leaves no place for it. */
  additions(settings: Record<string, unknown>, link: HookLink): readonly Insertion[];
  /** What to remove. Everything from before us stays, even if empty: `before` are the settings from then. */
  removals(settings: unknown, before: unknown): readonly JsonPath[];
  /** Why installed hooks would not run. `beside` reads another file in the settings' folder. */
  obstacles(settings: Record<string, unknown>, beside: (name: string) => string | undefined): readonly string[];
  /** The scripts that the hooks run, by absolute path below the data folder. */
  scripts(link: HookLink): Readonly<Record<string, string>>;
  /** The files of a plugin folder that does the same, by their paths in it. */
  plugin?(link: HookLink): Readonly<Record<string, string>>;
  /** How the agent is told to use that folder. */
  usePlugin?(folder: string): string;
}

/**
 * A file of our own that the agent loads by itself, instead of hooks in its settings. The first line names the version
 * and the data folder.
 */
export interface AgentHookFile {
  settingsFile(env: NodeJS.ProcessEnv, home: string): string;
  whole(link: HookLink): string;
  scripts(link: HookLink): Readonly<Record<string, string>>;
}

/** How our MCP server is added to an agent: one entry in a file of the agent. */
export interface AgentMcp {
  file(env: NodeJS.ProcessEnv, home: string): string;
  /** JSON unless it says otherwise. */
  readonly format?: 'json' | 'toml' | 'yaml' | undefined;
  /** The lock folder that a program creates while it changes the file. */
  lock?(file: string): string;
  /** The key of the list of servers, and our name in it. */
  readonly list: string;
  readonly name: string;
  entry(link: HookLink): Record<string, unknown>;
  /**
   * The data folder that our entry serves; undefined if the entry is not ours. Contract: never throws on any JSON
   * value.
   */
  homeOf(entry: unknown): string | undefined;
}
