// What every sandbox offers: a command line that runs a program with these folders, this environment and these limits, and nothing else.
import type { Config } from '../../config/config.ts';

/** A folder or file of this machine, and where it appears inside. */
export interface Mount {
  readonly from: string;
  readonly to: string;
  readonly write: boolean;
}

export interface Limits {
  /** For each limit, 0 means no limit. */
  readonly memoryMb: number;
  readonly cpus: number;
  readonly processes: number;
  readonly fileMb: number;
}

/** What is to run, in the sandbox's own paths. */
export interface Confined {
  /** For names that people see: of a container, of a machine. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly network: boolean;
  readonly limits: Limits;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** What the command reads from its descriptor 3. */
  readonly input?: Buffer;
  /** The command that removes everything that the process may have left elsewhere, after its end. Safe if nothing is left. */
  readonly end?: readonly string[];
}

/** Where things are for a program inside. */
export interface Inside {
  readonly work: string;
  readonly home: string;
  readonly path: string;
  /** The folder of this run's sockets. */
  readonly run: string;
  readonly node: string;
  readonly runner: string;
  /** The folder of the agent's SDK, and its program. Undefined: the SDK's own. */
  readonly sdk: string;
  readonly program: string | undefined;
}

export interface Sandbox {
  readonly name: 'bubblewrap' | 'docker' | 'none';
  /** Why it cannot be used here, and what to do. Undefined when it can. */
  trouble(config: Config): Promise<string | undefined>;
  /** Whether the sandbox contains the agent's SDK already, so that none of this machine is needed. */
  readonly bringsSdk: boolean;
  /** `here`: the same things on this machine. */
  inside(here: Inside): Inside;
  command(confined: Confined, config: Config): Promise<Command>;
  /** Ends and names what killed hosts of this data folder have left, for sandboxes that outlive their host. */
  sweep?(config: Config): Promise<readonly string[]>;
  /** What else a person who starts a host here should know. */
  warnings?(config: Config): Promise<readonly string[]>;
  /** Requested limits that cannot be enforced here, in words. Empty if there are none. */
  unheld(limits: Limits, config: Config): Promise<readonly string[]>;
}
