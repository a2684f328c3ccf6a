// The service managers that can keep the worker or the host running: the path and content of each file, and the
// commands that load it. Only data; nothing here acts.
import path from 'node:path';

/** What a manager keeps running. */
export interface ServiceKind {
  readonly name: 'worker' | 'host';
  readonly unit: string;
  readonly label: string;
  readonly description: string;
  /** Lines of a unit file that differ by service. */
  readonly limits: readonly string[];
  readonly options: readonly string[];
  /** Keys of a property list that differ by service. */
  readonly keys: readonly string[];
}

export const workerKind: ServiceKind = {
  name: 'worker',
  unit: 'holdfast.service',
  label: 'dev.holdfast.worker',
  description: 'Holdfast, the memory of AI coding agents',
  limits: ['StartLimitIntervalSec=300', 'StartLimitBurst=5'],
  /**
   * Only options that a user's manager can grant everywhere: options that need a mount namespace fail where user
   * namespaces are disabled, and MemoryDenyWriteExecute ends Node itself.
   */
  options: [
    'RestartSec=5',
    'TimeoutStopSec=15',
    'Nice=5',
    'NoNewPrivileges=yes',
    'LockPersonality=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'SystemCallArchitectures=native',
  ],
  keys: ['<key>ProcessType</key>', '<string>Background</string>'],
};

/** Agents are confined by their sandbox; some of the worker's options would prevent creating it. */
export const hostKind: ServiceKind = {
  name: 'host',
  unit: 'holdfast-host.service',
  label: 'dev.holdfast.host',
  description: 'Holdfast, the host of agents in groups',
  // A chat may be the host for a while: then systemd retries until that ends.
  limits: ['StartLimitIntervalSec=0'],
  // Only the host gets the signal, so that its agents may finish what they are answering.
  options: ['RestartSec=30', 'KillMode=mixed', 'TimeoutStopSec=60'],
  keys: ['<key>ExitTimeOut</key>', '<integer>60</integer>'],
};

/** What the service runs. */
export interface ServicePlan {
  /** The command with its arguments; the first is an absolute path. */
  readonly command: readonly string[];
  /** Variables that the service needs to be the person's own worker or host. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface Step {
  readonly command: readonly string[];
  /** It also fails if there is nothing left to do. */
  readonly mayFail?: boolean;
}

export interface ServiceManager {
  readonly name: 'systemd' | 'launchd';
  readonly file: string;
  /** Folders and links that loading creates beside the file, innermost first; folders are removed only if empty. */
  readonly traces: readonly string[];
  text(plan: ServicePlan): string;
  /** Succeeds if this user's manager can be reached. */
  readonly reach: readonly string[];
  /** Succeeds if the service runs. */
  readonly active: readonly string[];
  readonly load: readonly Step[];
  readonly unload: readonly Step[];
  /** Run after the file is removed. */
  readonly forget: readonly Step[];
}

/** Marks our files, so that no other file is ever touched. */
export const markOf = ({ name }: ServiceKind): string => `Written by: holdfast ${name} install`;

export function systemd(
  kind: ServiceKind,
  { user, configFolder }: { user: string; configFolder: string | undefined },
): ServiceManager {
  const systemctl = (...args: string[]) => ['systemctl', '--user', ...args];
  // The standard says to ignore a relative folder, and systemd does.
  const base = configFolder && path.isAbsolute(configFolder) ? configFolder : path.join(user, '.config');
  const folder = path.join(base, 'systemd', 'user');
  const { unit } = kind;
  const wants = path.join(folder, 'default.target.wants');
  return {
    name: 'systemd',
    file: path.join(folder, unit),
    traces: [path.join(wants, unit), wants, folder, path.dirname(folder)],
    text: (plan) => systemdUnit(kind, plan),
    reach: systemctl('show', '--property=Version'),
    active: systemctl('is-active', '--quiet', unit),
    load: [
      { command: systemctl('daemon-reload') },
      { command: systemctl('enable', unit) },
      { command: systemctl('restart', unit) },
    ],
    unload: [{ command: systemctl('disable', '--now', unit) }],
    forget: [{ command: systemctl('daemon-reload') }, { command: systemctl('reset-failed', unit), mayFail: true }],
  };
}

export function launchd(kind: ServiceKind, { user, uid }: { user: string; uid: number }): ServiceManager {
  const { label } = kind;
  const file = path.join(user, 'Library', 'LaunchAgents', `${label}.plist`);
  const target = `gui/${uid}/${label}`;
  const leave: Step = { command: ['launchctl', 'bootout', target], mayFail: true };
  return {
    name: 'launchd',
    file,
    traces: [],
    text: (plan) => launchdPlist(kind, plan),
    reach: ['launchctl', 'print', `gui/${uid}`],
    active: ['launchctl', 'print', target],
    load: [leave, { command: ['launchctl', 'bootstrap', `gui/${uid}`, file] }],
    unload: [leave],
    forget: [],
  };
}

function systemdUnit(kind: ServiceKind, { command, environment }: ServicePlan): string {
  // In the program's own name, systemd accepts no quotes and no backslashes, however they are written.
  const [file = '', ...args] = /["'\\$]/.test(command[0] ?? '') ? ['/usr/bin/env', ...command] : command;
  return `# ${markOf(kind)}
# Remove it with: holdfast ${kind.name} uninstall

[Unit]
Description=${kind.description}
${kind.limits.join('\n')}

[Service]
Type=exec
ExecStart=${[quoted(file), ...args.map((arg) => quoted(arg.replaceAll('$', '$$$$')))].join(' ')}
${Object.entries(environment)
  .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`)
  .join('\n')}
Restart=on-failure
SuccessExitStatus=143
UMask=0077
${kind.options.join('\n')}

[Install]
WantedBy=default.target
`;
}

/** A word of a unit file: quotes and escapes as in C, without specifiers. */
const quoted = (text: string): string =>
  `"${text
    .replace(/[\\"]/g, '\\$&')
    .replaceAll('%', '%%')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a path may hold them, and a line of a unit may not.
    .replace(/[\x00-\x1f\x7f]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;

function launchdPlist(kind: ServiceKind, { command, environment }: ServicePlan): string {
  const strings = command.map((word) => `    <string>${xml(word)}</string>`).join('\n');
  const variables = Object.entries(environment)
    .map(([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>`)
    .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${markOf(kind)} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${kind.label}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
${kind.keys.map((line) => `  ${line}`).join('\n')}
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`;
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
