import { z } from 'zod';
import { agentNamed } from '../../agents/index.ts';
import { type Config, settingNamed } from '../../config/config.ts';
import { setSetting, unsetSetting } from '../../config/config-file.ts';
import { type Setting, settingList } from '../../schema/settings.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);

const SettingValue = z.object({
  key: z.string(),
  value: Value,
  origin: z.enum(['default', 'file', 'environment']),
  variable: z.string().describe('the environment variable that overrides it'),
  description: z.string(),
  kind: z.enum(['boolean', 'number', 'string', 'list']),
  options: z.array(z.string()).optional().describe('the allowed values'),
  atTerminal: z.boolean().describe('whether only `holdfast config set` may change it, not HTTP'),
  atStart: z.boolean().describe('whether a running worker uses it only after its next start'),
});

const key = z.string().min(1).describe('name of a setting');
/** Shown instead of a secret. */
const hidden = '(hidden)';

function current(config: Config, setting: Setting): z.infer<typeof SettingValue> {
  const { key, variable, description, secret, kind, options, atTerminal, atStart } = setting;
  let value: unknown = config.settings;
  for (const step of key.split('.')) value = (value as Record<string, unknown> | undefined)?.[step];
  const agent = agentNamed(key.split('.')[1] ?? '');
  if (value === undefined && agent && key.endsWith('.watchPath')) value = config.watchPath(agent);
  return {
    key,
    value: secret && value !== undefined ? hidden : Value.catch(null).parse(value),
    origin: config.origin[key] ?? 'default',
    variable,
    description,
    kind,
    ...(options === undefined ? {} : { options: [...options] }),
    atTerminal,
    atStart,
  };
}

/** The file may have changed since the worker started. */
const asItIs = ({ config, remote }: Context<never>): Config => (remote ? config.reload() : config);

/** A stolen browser session must not choose programs to run, folders to read or addresses to send to. */
function refuseRemote({ remote }: Context<never>, { key, atTerminal }: Setting): void {
  if (!remote || !atTerminal) return;
  throw new HoldfastError('NO_PERMISSION', `${key} can only be changed at the terminal`, {
    hint: `holdfast config set ${key} <value>`,
  });
}

/** The settings after a change: the environment may still override it, and another value in the file may be wrong. */
function reloaded(config: Config, done: string): Config {
  try {
    return config.reload();
  } catch (error) {
    const { code, message, hint } = explain(error, config.filePath);
    throw new HoldfastError(code, `${done}, but ${message}`, { ...(hint ? { hint } : {}), cause: error });
  }
}

export const configList = operation({
  name: 'config list',
  summary: 'List every setting, its value, and where the value comes from',
  input: z.object({}),
  output: z.object({ file: z.string(), settings: z.array(SettingValue) }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast config', 'holdfast config list --json'],
  withoutStore: true,
  async run(context: Context<never>) {
    const config = asItIs(context);
    return { file: config.filePath, settings: settingList.map((setting) => current(config, setting)) };
  },
});

export const configGet = operation({
  name: 'config get',
  summary: 'Print one setting',
  input: z.object({ key }),
  output: SettingValue,
  surfaces: ['cli'],
  positional: ['key'],
  examples: ['holdfast config get port', 'holdfast config get agents.pi.enabled'],
  withoutStore: true,
  run: async ({ config }: Context<never>, input) => current(config, settingNamed(input.key)),
});

export const configSet = operation({
  name: 'config set',
  summary: 'Change one setting in config.json',
  input: z.object({ key, value: z.string().describe('its new value') }),
  output: SettingValue.extend({ stored: Value }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['key', 'value'],
  examples: ['holdfast config set conversationGapMinutes 90', 'holdfast config set timeZone Europe/Berlin'],
  withoutStore: true,
  mendsConfig: true,
  async run(context: Context<never>, input) {
    const { config } = context;
    const setting = settingNamed(input.key);
    refuseRemote(context, setting);
    const stored = Value.parse(setSetting(config, input.key, input.value));
    const shown = setting.secret ? hidden : stored;
    const now = reloaded(config, `${input.key} is ${JSON.stringify(shown)} in the file now`);
    return { ...current(now, setting), stored: shown };
  },
});

export const configUnset = operation({
  name: 'config unset',
  summary: 'Remove one setting from config.json, so that its default applies',
  input: z.object({ key }),
  output: SettingValue.extend({ removed: z.boolean() }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['key'],
  examples: ['holdfast config unset timeZone'],
  withoutStore: true,
  mendsConfig: true,
  async run(context: Context<never>, input) {
    const { config } = context;
    const setting = settingNamed(input.key);
    refuseRemote(context, setting);
    const removed = unsetSetting(config, input.key);
    const now = reloaded(config, `${input.key} is no longer set in the file`);
    return { ...current(now, setting), removed };
  },
});
