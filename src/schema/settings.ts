import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { clocks } from './clock.ts';
import { ownZone } from './own-zone.ts';
import { isTimeZone, TimeZone } from './time-zone.ts';

const systemTimeZone = (): string => {
  const own = ownZone();
  if (own !== undefined) return own;
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return isTimeZone(zone) ? zone : 'UTC';
};

/** A setting that is stored but never shown. */
const secret = (description: string) => z.string().min(1).optional().meta({ description, secret: true });

const AgentSettings = z.strictObject({
  enabled: z.boolean().default(true).describe('whether Holdfast imports its transcripts'),
  watchPath: z.string().min(1).optional().describe("folder of its transcripts (default: the agent's own)"),
});

const EmbeddingSettings = z.strictObject({
  kind: z
    .enum(['built-in', 'static', 'minilm', 'openai-compatible', 'ollama', 'none'])
    .default('built-in')
    .describe('model for search by meaning; static: word vectors only; none: keywords only'),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of the endpoint's API (default: Ollama's own)"),
  model: z.string().min(1).optional().describe('name of the model at the endpoint'),
  key: secret('key of the endpoint'),
});

export const ModelKind = z.enum(['none', 'claude', 'anthropic', 'openai-compatible']);
export type ModelKind = z.infer<typeof ModelKind>;

const DistillSettings = z.strictObject({
  model: ModelKind.default('none').describe('model that distills; none: the built-in distiller, offline'),
  modelName: z.string().min(1).optional().describe("name of the model (default: the service's small one)"),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of the service's API (default: its own)"),
  key: secret('key of the service'),
  program: z.string().min(1).optional().describe("for claude: path of Claude Code (default: the SDK's own)"),
  auto: z.boolean().default(true).describe('whether the worker distills in the background'),
  timeoutSeconds: z.int().min(1).max(3600).default(120).describe('how long a model may take for an answer'),
});

const BudgetSettings = z.strictObject({
  tokensPerDay: z.int().min(0).max(1e12).default(500_000).describe('tokens that models may use in a day'),
  tokensPerSession: z.int().min(0).max(1e12).default(200_000).describe('tokens that models may use for a session'),
});

export const SandboxKind = z.enum(['auto', 'bubblewrap', 'docker', 'none']);
export type SandboxKind = z.infer<typeof SandboxKind>;

/** Agents that Holdfast itself runs, one for each group. */
const HostSettings = z.strictObject({
  sandbox: SandboxKind.default('auto').describe('sandbox for agents; auto: the first that works on this machine'),
  network: z.boolean().default(true).describe('whether agents reach the network; they reach the model in any case'),
  networkVia: z
    .enum(['proxy', 'machine'])
    .default('proxy')
    .describe('for bubblewrap; proxy: public addresses over HTTP only; machine: the network of this machine'),
  reach: z
    .array(z.string().regex(/^.+:\d{1,5}$/, 'must be host:port'))
    .default([])
    .describe('local host:port pairs that agents may reach through the proxy'),
  model: z.string().min(1).optional().describe("name of the model (default: the agent's own)"),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of the model's API (default: Anthropic's, or ANTHROPIC_BASE_URL)"),
  key: secret("key of the model's API; no agent ever sees it"),
  program: z.string().min(1).optional().describe("path of Claude Code (default: the Agent SDK's own)"),
  image: z
    .string()
    .min(1)
    .default('holdfast-agent')
    .describe('for docker: the image, built from docker/agent.Dockerfile'),
  engine: z.string().min(1).default('docker').describe('for docker: the command, docker or podman'),
  memoryMb: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(0)
    .describe('memory of an agent and its processes, in MB; 0: no limit'),
  cpus: z.number().min(0).max(1000).default(0).describe('processors for an agent and its processes; 0: no limit'),
  processes: z.int().min(0).max(1_000_000).default(512).describe('processes and threads of an agent; 0: no limit'),
  maxProcesses: z.int().min(1).max(200).default(5).describe('agents that run at the same time, of all groups'),
  idleMinutes: z
    .number()
    .positive()
    .max(10_080)
    .default(30)
    .describe('how long an agent keeps running after its last answer'),
  hardLimitMinutes: z
    .number()
    .positive()
    .max(10_080)
    .default(60)
    .describe('how long an agent may run without an answer; at least idleMinutes plus 30 seconds'),
  diskMb: z
    .int()
    .min(0)
    .max(100_000_000)
    .default(10_240)
    .describe('total size of a group’s folders, in MB; the host ends an agent that exceeds it; 0: no limit'),
  fileMb: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(4096)
    .describe('largest file that an agent may write, in MB; 0: no limit'),
});

/** For agents that use the session library and read these settings. */
const SessionSettings = z.strictObject({
  autoSave: z.boolean().default(true).describe('whether an agent that uses the session library saves automatically'),
  maxSessions: z.int().min(1).max(1_000_000).default(50).describe('how many sessions such an agent keeps'),
});

/** Automatic copies of the database. */
const BackupSettings = z.strictObject({
  automatic: z
    .boolean()
    .default(true)
    .describe('whether to copy the database each day and before each migration; Holdfast keeps three copies'),
  maxMb: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(4000)
    .describe('total size of these copies, in MB; a larger database is not copied'),
});

/** Everything a person can set. Defaults are here and nowhere else. */
export const Settings = z.strictObject({
  agents: z.strictObject(
    Object.fromEntries(AgentName.options.map((name) => [name, AgentSettings.prefault({})])) as Record<
      AgentName,
      z.ZodPrefault<typeof AgentSettings>
    >,
  ),
  conversationGapMinutes: z
    .number()
    .positive()
    .max(525_600)
    .default(60)
    .describe('a silence longer than this ends a conversation'),
  conversationMaxEntries: z
    .int()
    .min(2)
    .max(1_000_000)
    .default(500)
    .describe('entries after which a conversation is split'),
  conversationMaxChars: z
    .int()
    .min(1000)
    .max(1_000_000_000)
    .default(200_000)
    .describe('characters after which a conversation is split'),
  pollIntervalMs: z
    .int()
    .min(100)
    .max(86_400_000)
    .default(30_000)
    .describe('how often the worker does its chores, such as closing silent conversations'),
  minConversationMessages: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(5)
    .describe('conversations with fewer messages are not distilled'),
  readSeconds: z
    .number()
    .positive()
    .max(86_400)
    .default(60)
    .describe('how long one line, or one megabyte, of a transcript may take to read; a slower transcript is set aside'),
  timeZone: TimeZone.default(systemTimeZone).describe('time zone of times shown and dates typed'),
  clock: z
    .enum(clocks)
    .default('auto')
    .describe(
      'hours of the clock in times shown; auto: as the locale has it (LC_ALL, LC_TIME, LANG; in the viewer, that of the browser)',
    ),
  skipTools: z
    .array(z.string().min(1))
    .default([
      ...['TodoWrite', 'AskUserQuestion', 'SlashCommand', 'Skill', 'ListMcpResourcesTool'],
      ...['TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet', 'ReadMcpResourceTool', 'ToolSearch'],
    ])
    .describe('tools whose uses are not stored'),
  prices: z
    .array(z.string().regex(/^[^=]+=[\d./ ]+$/, 'expected model=input/output in dollars for a million tokens'))
    .default([])
    .describe(
      'dollars for a million tokens of a model, used before the built-in table: model=input/output, or model=input/output/cacheRead/cacheWrite',
    ),
  ignore: z
    .array(z.string().min(1))
    .default([])
    .describe('folders (globs allowed) and project names whose sessions are never stored'),
  briefingTokens: z
    .int()
    .min(0)
    .max(2375)
    .default(1500)
    .describe('length limit of a briefing at session start; 0: no briefing'),
  embedding: EmbeddingSettings.prefault({}),
  vectorMemoryMb: z
    .int()
    .min(1)
    .max(4000)
    .default(256)
    .describe('memory for vectors, in MB; beyond it, search compares their signs first'),
  recallOnPrompt: z.boolean().default(false).describe('whether an agent gets clearly related memories with a prompt'),
  separateWorktrees: z.boolean().default(false).describe('whether each worktree of a repository is a separate project'),
  distill: DistillSettings.prefault({}),
  budget: BudgetSettings.prefault({}),
  host: HostSettings.prefault({}),
  memoryPath: z.string().min(1).optional().describe('folder of the memory files (default: memory in the data folder)'),
  memoryGit: z
    .boolean()
    .default(true)
    .describe('whether to commit memory files after each batch, if their folder is the root of a git repository'),
  memoryHalfLifeDays: z
    .number()
    .positive()
    .max(36_500)
    .default(30)
    .describe(
      'days after which a dated memory counts half in search; an unproven note is dropped after three times as long',
    ),
  session: SessionSettings.prefault({}),
  archivePath: z.string().min(1).optional().describe('folder of archives (default: archives in the data folder)'),
  assistantName: z.string().min(1).max(60).default('Assistant').describe('name of the agent in archives'),
  vault: z.boolean().default(true).describe('whether to keep a compressed copy of each transcript, for resuming'),
  vaultDays: z
    .int()
    .min(0)
    .max(36_500)
    .default(0)
    .describe('days without change after which a copy is deleted; 0: never'),
  backup: BackupSettings.prefault({}),
  port: z.int().min(1).max(65_535).default(37_777).describe('loopback port of the worker'),
});
export type Settings = z.infer<typeof Settings>;

export interface Setting {
  /** Dotted path in config.json: `agents.pi.enabled`. */
  readonly key: string;
  /** The same in the environment: `HOLDFAST_AGENTS_PI_ENABLED`. */
  readonly variable: string;
  readonly schema: z.ZodType;
  readonly kind: 'boolean' | 'number' | 'string' | 'list';
  readonly description: string;
  /** Its value is never printed. */
  readonly secret: boolean;
  /** The only values that it accepts. */
  readonly options?: readonly string[];
  /** Names a program, a folder or an address, or says what agents may do: can be changed at the terminal only. */
  readonly atTerminal: boolean;
  /** A running worker applies it only after a restart. */
  readonly atStart: boolean;
}

/** Settings that are read each time they are needed, or by other processes than the worker. */
const readEachTime =
  /^(?:(?:distill|budget|embedding|host|session|backup)\.|(?:skipTools|ignore|prices|clock|recallOnPrompt)$)/;

const variableOf = (key: string): string =>
  `HOLDFAST_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()}`;

/** Unwraps defaults and optionals. */
function bare(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional || inner instanceof z.ZodPrefault)
    inner = inner.unwrap() as z.ZodType;
  return inner;
}

/** Texts that name no program, file or address. */
const freeTexts = new Set(['timeZone', 'assistantName']);

function leaves(schema: z.ZodType, path: readonly string[]): Setting[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
      leaves(field, [...path, name]),
    );
  const key = path.join('.');
  const kind =
    inner instanceof z.ZodBoolean
      ? 'boolean'
      : inner instanceof z.ZodNumber
        ? 'number'
        : inner instanceof z.ZodArray
          ? 'list'
          : 'string';
  const { description = '', secret: hidden = false } = schema.meta() ?? {};
  const options = inner instanceof z.ZodEnum ? (inner.options as string[]) : undefined;
  return [
    {
      key,
      variable: variableOf(key),
      schema: inner,
      kind,
      description,
      secret: hidden === true,
      ...(options === undefined ? {} : { options }),
      atTerminal: (kind === 'string' && options === undefined && !freeTexts.has(key)) || /^(?:host\.|port$)/.test(key),
      atStart: !readEachTime.test(key),
    },
  ];
}

export const settingList: readonly Setting[] = leaves(Settings, []);
