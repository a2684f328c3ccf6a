// How an agent is made to tell us of its sessions while they run: what stands in its settings, and how to take it out again.
// Only data goes in and out; the caller reads and writes the files.

/** In the data folder: says which process a hook has started as the worker, until that has looked for the worker's claim. */
export const startingName = 'worker.starting';

export type JsonPath = readonly (string | number)[];

export interface Insertion {
  /** Ends with a new key of an object that exists, or with the length of an array that exists. */
  readonly path: JsonPath;
  readonly value: unknown;
}

/** What a hook must know to work with this very data folder. */
export interface HookLink {
  readonly version: string;
  /** The data folder. */
  readonly home: string;
  /** The Node that runs the worker, and the program that answers prompts. */
  readonly node: string;
  readonly program: string;
  /** The command line, which serves MCP as well. */
  readonly cli: string;
  /** Whether prompts are to be answered with what the past knows. */
  readonly recall: boolean;
}

export interface HooksFound {
  /** Events that report to us. */
  readonly events: readonly string[];
  /** Events that should and do not. */
  readonly missing: readonly string[];
  /** Events whose hook belongs to another version or place, or is not needed any more. */
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
  /** What is to be put into settings that hold none of ours. Throws when their shape leaves no place for it. */
  additions(settings: Record<string, unknown>, link: HookLink): readonly Insertion[];
  /** What is to be taken out. Whatever was there before us, even empty, stays: `before` are the settings from then. */
  removals(settings: unknown, before: unknown): readonly JsonPath[];
  /** Why hooks that stand in the settings would not run. `beside` reads another file of the settings' folder. */
  obstacles(settings: Record<string, unknown>, beside: (name: string) => string | undefined): readonly string[];
  /** What the hooks run, by absolute path below the data folder. */
  scripts(link: HookLink): Readonly<Record<string, string>>;
  /** The files of a plugin folder that does the same, by their paths in it. */
  plugin?(link: HookLink): Readonly<Record<string, string>>;
  /** How the agent is told to use that folder. */
  usePlugin?(folder: string): string;
}

/** A file of ours alone that the agent loads by itself, instead of hooks in its settings. The first line names the version and the data folder. */
export interface AgentHookFile {
  settingsFile(env: NodeJS.ProcessEnv, home: string): string;
  whole(link: HookLink): string;
  scripts(link: HookLink): Readonly<Record<string, string>>;
}

/** How an agent is told of our MCP server: one entry in a file that it keeps for itself. */
export interface AgentMcp {
  file(env: NodeJS.ProcessEnv, home: string): string;
  /** JSON unless it says otherwise. */
  readonly format?: 'json' | 'toml' | 'yaml' | undefined;
  /** The folder that whoever changes the file makes for that time. */
  lock?(file: string): string;
  /** The key of the list of servers, and our name in it. */
  readonly list: string;
  readonly name: string;
  entry(link: HookLink): Record<string, unknown>;
  /** The data folder that an entry of ours serves; undefined when it is not ours. Contract: never throws on any JSON value. */
  homeOf(entry: unknown): string | undefined;
}
