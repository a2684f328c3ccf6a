// The scripts that agents' hooks run, for any POSIX shell. Contract: they print a whole briefing or nothing, never an
// error, end with 0, use no network, and start no program but `cat`, and the worker in the background. capture/spool
// reads their notes.

import type { AgentName } from '../schema/agent-name.ts';
import { briefingNames } from '../system/briefing-folder.ts';
import { type HookLink, startingName } from './hooks.ts';

/** The agent of the script, and how it accepts a briefing. */
export interface ScriptFor {
  readonly agent: AgentName;
  readonly title: string;
  /** A variable with the session's folder; without it, the payload names the folder, or the script runs there. */
  readonly folderVariable?: string | undefined;
  /** `nested`: as Claude Code accepts it. Otherwise the one key that holds the text. */
  readonly answer: 'nested' | 'additionalContext' | 'additional_context';
}

export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const { folder, folders, texts, notes, project, separateWorktrees } = briefingNames;

const begin = (
  { home, version }: HookLink,
  what: string,
): string => `# ${what} (Holdfast ${version}; written by \`holdfast install\`)
exec 2>/dev/null
trap 'exit 0' 0
umask 077
h=${quote(home)}
payload=
while IFS= read -r line || [ -n "$line" ]; do payload=$payload$line; done
case $payload in '{'*) ;; *) exit 0 ;; esac
# A payload has two paths and a few words. A shell needs time quadratic in the length to search a text.
[ \${#payload} -gt 16000 ] && exit 0
`;

/** Appended in one write, between two line ends: half a note on a full disk spoils no other. */
const note = ({ agent }: ScriptFor, event: 'SessionStart' | 'SessionEnd', given: string): string =>
  `printf '\\n{"given":"%s","event":"${event}","payload":%s}\\n' ${given} "$payload" >>"$h/spool/${agent}.$$.note"\n`;

export const endScript = (link: HookLink, whose: ScriptFor): string =>
  `${begin(link, `The end of a session of ${whose.title}: notes the reason for the worker.`)}${note(whose, 'SessionEnd', "''")}`;

/** Prints the briefing: the file holds it as Claude Code accepts it, in one line. */
const printBriefing = ({ answer }: ScriptFor): string => {
  if (answer === 'nested') return `cat "$b/${texts}/$id.json" || id=`;
  const lead = '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":';
  return `t=; IFS= read -r t <"$b/${texts}/$id.json"
      t=\${t#${quote(lead)}}
      case $t in '"'*'"}}') printf '{"${answer}":%s}\\n' "\${t%'}}'}" ;; *) id= ;; esac`;
};

/** Where the session works. */
const startFolder = ({ folderVariable }: ScriptFor): string => {
  if (folderVariable !== undefined) return `start=\${${folderVariable}:-$PWD}`;
  return `start=$PWD
case $payload in
  *'"cwd":"'*) start=\${payload#*'"cwd":"'} ;;
  *'"workspace_roots":["'*) start=\${payload#*'"workspace_roots":["'} ;;
esac
start=\${start%%'"'*}
case $start in *\\\\* | '') start=$PWD ;; esac`;
};

/** Finds the notes for a folder. */
const seekNotes = `# The notes for a folder are those of its repository, else of the next folder upwards that has some: but never of the home folder or above
# for what lies below. A worktree stands for its repository, unless the person keeps them apart.
seek() {
  d=\${1%/} alone=
  while :; do
    if [ -f "$d/.git" ]; then
      alone=1 g=
      IFS= read -r g <"$d/.git"
      tree=\${g#gitdir: } main=\${g#gitdir: }
      tree=\${tree##*/.git/worktrees/} main=\${main%/.git/worktrees/*}
      case $g in 'gitdir: '*/.git/worktrees/*) case $tree in */*) main= ;; esac ;; *) main= ;; esac
      [ -e "$b/${separateWorktrees}" ] && main=
      case $main in
        '') ;;
        /*) d=$main ;;
        *) CDPATH= cd "$d/$main" && d=$PWD ;;
      esac
    elif [ -e "$d/.git" ]; then alone=1; fi
    n="$b/${folders}$d/${notes}"
    [ -f "$n/${project}" ] && return 0
    [ -n "$alone" ] && return 1
    [ -n "$d" ] || return 1
    d=\${d%/*}
    case "$HOME/" in "$d"/*) return 1 ;; esac
  done
}
`;

const giveBriefing = (whose: ScriptFor): string => `b="$h/${folder}" n= id=
${startFolder(whose)}
case "$start/" in
  */../* | */./* | *//*) false ;;
  /*) seek "$start" ;;
  *) false ;;
esac || { CDPATH= cd -P "$start" && seek "$PWD"; } || n=
if [ -n "$n" ]; then
  name=${project}
  case $payload in
    *'"source":"resume"'* | *'"source":"compact"'*)
      s=\${payload#*'"session_id":"'}
      s=\${s%%'"'*}
      case $s in '' | *[!0-9A-Za-z_-]*) ;; *) [ -f "$n/$s" ] && name=$s ;; esac
      ;;
  esac
  IFS= read -r id <"$n/$name"
  case $id in
    '' | *[!0-9a-f]*) id= ;;
    *)
      ${printBriefing(whose)}
      ;;
  esac
fi
${note(whose, 'SessionStart', '"$id"')}
`;

/** Starts the worker, unless it runs or another hook starts it. */
const startWorker = (
  link: HookLink,
  whose: ScriptFor,
): string => `# Whether the process with this pid ($1) began at this tick of the clock ($2): a recycled pid is not the worker.
born() {
  stat= state= tick=
  case $1 in '' | *[!0-9]*) return 1 ;; esac
  IFS= read -r stat <"/proc/$1/stat" || return 1
  set -f
  set -- \${stat##*') '}
  state=$1 tick=\${20}
}
lives() { born "$1" && [ "$state" != Z ] && [ "$state" != X ] && [ "$tick" = "$2" ]; }
claim=
IFS= read -r claim <"$h/worker.pid"
pid=\${claim#*'"pid":'} began=\${claim#*'"started":"'}
pid=\${pid%%[!0-9]*} began=\${began%%'"'*}
lives "$pid" "\${began##*:}" && exit 0
# Of several sessions that start together, the first starts the worker. The file names its hook, and then the process that becomes
# the worker. If a hook is held up while it writes that, another may go on as well: the process that is named starts the worker.
seen() { pid= began= next= since=; { read -r pid began; read -r next since; } <"$h/${startingName}"; }
born "$$"
own="$$ $tick"
set -C
printf '%s\\n' "$own" >"$h/${startingName}" || {
  # The file is empty for a moment while another hook writes it.
  pid= tries=0
  while [ -z "$pid" ] && [ "$tries" -lt 200 ]; do
    seen
    tries=$((tries + 1))
  done
  lives "$pid" "$began" && exit 0
  # That hook may have ended since: it has named its worker by then.
  seen
  lives "$next" "$since" && exit 0
  set +C
  printf '%s\\n' "$own" >"$h/${startingName}"
}
unset NODE_OPTIONS CLAUDECODE ${whose.folderVariable ?? ''}
cd "$h" || exit 0
export HOLDFAST_HOME="$h"
node=${quote(link.node)}
[ -x "$node" ] || node=node
# A moment later, when the client has started: both would want the same processors. In a session of its own, so that it outlives this one.
if command -v setsid >/dev/null; then
  setsid sh -c '
    sleep 1
    { read -r hook; read -r pid since; } <${startingName}
    case $pid in "" | $$) ;; *) [ -d "/proc/$pid" ] && exit 0 ;; esac
    HOLDFAST_PART=1 exec "$0" "$1" worker run
  ' "$node" ${quote(link.cli)} </dev/null >>"$h/logs/worker.log" 2>&1 &
else
  (sleep 1; HOLDFAST_PART=1 exec "$node" ${quote(link.cli)} worker start) </dev/null >>"$h/logs/worker.log" 2>&1 &
fi
born "$!"
printf '%s %s\\n' "$!" "$tick" >>"$h/${startingName}"
`;

export const startScript = (link: HookLink, whose: ScriptFor): string =>
  `${begin(link, `The start of a session of ${whose.title}: prints the briefing, and makes sure that the worker runs.`)}
${seekNotes}${giveBriefing(whose)}${startWorker(link, whose)}`;
