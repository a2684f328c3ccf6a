import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { isTimeZone, TimeZone } from './time-zone.ts';

const systemTimeZone = (): string => {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return isTimeZone(zone) ? zone : 'UTC';
};

/** A setting that is stored, and never shown. */
const secret = (description: string) => z.string().min(1).optional().meta({ description, secret: true });

const AgentSettings = z.strictObject({
  enabled: z.boolean().default(true).describe('whether its transcripts are taken in'),
  watchPath: z.string().min(1).optional().describe("folder of its transcripts (default: the agent's own)"),
});

const EmbeddingSettings = z.strictObject({
  kind: z
    .enum(['built-in', 'static', 'minilm', 'openai-compatible', 'ollama', 'none'])
    .default('built-in')
    .describe('what search by meaning is made with; static: word vectors alone; none: search by keyword alone'),
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
  model: ModelKind.default('none').describe('who distils: none is the built-in distiller, offline'),
  modelName: z.string().min(1).optional().describe("name of the model (default: the service's small one)"),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of the service's API (default: its own)"),
  key: secret('key of the service'),
  program: z.string().min(1).optional().describe("for claude: path of Claude Code (default: the SDK's own)"),
  auto: z.boolean().default(true).describe('whether the worker distils by itself'),
  timeoutSeconds: z.int().min(1).max(3600).default(120).describe('how long a model may take for an answer'),
});

const BudgetSettings = z.strictObject({
  tokensPerDay: z.int().min(0).max(1e12).default(500_000).describe('tokens that models may take in a day'),
  tokensPerSession: z.int().min(0).max(1e12).default(200_000).describe('tokens that models may take for a session'),
});

export const SandboxKind = z.enum(['auto', 'bubblewrap', 'docker', 'none']);
export type SandboxKind = z.infer<typeof SandboxKind>;

/** Agents that Holdfast itself runs, one for each group. */
const HostSettings = z.strictObject({
  sandbox: SandboxKind.default('auto').describe('what agents are locked into; auto is the first that works here'),
  network: z.boolean().default(true).describe('whether agents reach the network; the model is reached without it'),
  networkVia: z
    .enum(['proxy', 'machine'])
    .default('proxy')
    .describe(
      'for bubblewrap: proxy reaches the world over HTTP and nothing around here; machine is this network itself',
    ),
  reach: z
    .array(z.string().regex(/^.+:\d{1,5}$/, 'must be host:port'))
    .default([])
    .describe('host:port around here that agents may reach through the proxy all the same'),
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
    .describe('for docker: the image, made from docker/agent.Dockerfile'),
  engine: z.string().min(1).default('docker').describe('for docker: the command, docker or podman'),
  memoryMb: z.int().min(0).max(10_000_000).default(0).describe('memory of an agent and what it starts; 0: no limit'),
  cpus: z.number().min(0).max(1000).default(0).describe('processors for an agent and what it starts; 0: no limit'),
  processes: z.int().min(0).max(1_000_000).default(512).describe('processes and threads of an agent; 0: no limit'),
  maxProcesses: z.int().min(1).max(200).default(5).describe('agents that run at a time, over all groups'),
  idleMinutes: z.number().positive().max(10_080).default(30).describe('how long an agent stays after its last answer'),
  hardLimitMinutes: z
    .number()
    .positive()
    .max(10_080)
    .default(60)
    .describe('how long an agent may go without an answer; at least idleMinutes and 30 seconds'),
  diskMb: z
    .int()
    .min(0)
    .max(100_000_000)
    .default(10_240)
    .describe('what the folders of a group may hold in all, in MB; an agent that goes beyond is ended; 0: no limit'),
  fileMb: z.int().min(0).max(10_000_000).default(4096).describe('size of a single file that it writes; 0: no limit'),
});

/** For agents of one's own that keep their sessions with the session library, and take these from here. */
const SessionSettings = z.strictObject({
  autoSave: z.boolean().default(true).describe('whether an agent that uses the session library saves as it goes'),
  maxSessions: z.int().min(1).max(1_000_000).default(50).describe('how many sessions such an agent keeps'),
});

/** Copies of the database that Holdfast makes by itself. */
const BackupSettings = z.strictObject({
  automatic: z
    .boolean()
    .default(true)
    .describe('whether a copy of the database is made each day and before each migration; three are kept'),
  maxMb: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(4000)
    .describe('what these copies may take together; a larger database is not copied'),
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
  conversationMaxEntries: z.int().min(2).max(1_000_000).default(500).describe('entries after which one is split'),
  conversationMaxChars: z
    .int()
    .min(1000)
    .max(1_000_000_000)
    .default(200_000)
    .describe('characters after which one is split'),
  pollIntervalMs: z.int().min(100).max(86_400_000).default(30_000).describe('how often the worker looks at silences'),
  minConversationMessages: z.int().min(1).max(1_000_000).default(5).describe('shorter conversations are skipped'),
  readSeconds: z
    .number()
    .positive()
    .max(86_400)
    .default(60)
    .describe('how long a line, or a megabyte, of a transcript may take to read; one that takes longer is set aside'),
  timeZone: TimeZone.default(systemTimeZone).describe('for times that are shown and dates that are typed'),
  skipTools: z
    .array(z.string().min(1))
    .default([
      ...['TodoWrite', 'AskUserQuestion', 'SlashCommand', 'Skill', 'ListMcpResourcesTool'],
      ...['TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet', 'ReadMcpResourceTool', 'ToolSearch'],
    ])
    .describe('tools whose uses are not kept'),
  ignore: z
    .array(z.string().min(1))
    .default([])
    .describe('folders (also as globs) and names of projects whose sessions are never stored'),
  briefingTokens: z
    .int()
    .min(0)
    .max(2375)
    .default(1500)
    .describe('how long a briefing at session start may be; 0 gives none'),
  embedding: EmbeddingSettings.prefault({}),
  vectorMemoryMb: z
    .int()
    .min(1)
    .max(4000)
    .default(256)
    .describe('what vectors may take in memory; above it, search looks at their signs first'),
  recallOnPrompt: z.boolean().default(false).describe('whether a prompt is told what the past clearly knows about it'),
  separateWorktrees: z
    .boolean()
    .default(false)
    .describe('whether each worktree of a repository is a project of its own'),
  distill: DistillSettings.prefault({}),
  budget: BudgetSettings.prefault({}),
  host: HostSettings.prefault({}),
  memoryPath: z.string().min(1).optional().describe('folder of the memory files (default: memory in the data folder)'),
  memoryGit: z
    .boolean()
    .default(true)
    .describe(
      'whether memory files are committed after each batch, where their folder is the root of a git repository',
    ),
  memoryHalfLifeDays: z
    .number()
    .positive()
    .max(36_500)
    .default(30)
    .describe('after how many days a dated memory counts half in search; a note that is not proven leaves after three'),
  session: SessionSettings.prefault({}),
  archivePath: z.string().min(1).optional().describe('folder of archives (default: archives in the data folder)'),
  assistantName: z.string().min(1).max(60).default('Assistant').describe('what the agent is called in archives'),
  vault: z.boolean().default(true).describe('whether a compressed copy of each transcript is kept, for resuming'),
  vaultDays: z
    .int()
    .min(0)
    .max(36_500)
    .default(0)
    .describe('after how many days without change a copy is removed; 0 keeps all'),
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
  /** The only values that it takes. */
  readonly options?: readonly string[];
  /** Names a program, a folder or an address, or says what agents may do: changed at the terminal alone. */
  readonly atTerminal: boolean;
  /** A worker that runs takes it up only when it starts next. */
  readonly atStart: boolean;
}

/** What is read anew whenever it is needed, or by others than the worker. */
const readAnew = /^(?:(?:distill|budget|embedding|host|session|backup)\.|(?:skipTools|ignore|recallOnPrompt)$)/;

const variableOf = (key: string): string =>
  `HOLDFAST_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()}`;

/** The schema without what makes it optional. */
function bare(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional || inner instanceof z.ZodPrefault)
    inner = inner.unwrap() as z.ZodType;
  return inner;
}

/** Texts that name nothing that could be run, read or written to. */
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
      atStart: !readAnew.test(key),
    },
  ];
}

export const settingList: readonly Setting[] = leaves(Settings, []);
