// Resume, archive, forget. Forgetting asks once, and says exactly what goes.
import { useState } from 'preact/hooks';
import { agentTitles } from '../../../schema/agent-titles.ts';
import { carrierNames } from '../../../schema/carrier-names.ts';
import type { Carrier } from '../../../schema/carriers.ts';
import type { Session } from '../answers.ts';
import { change, type Failure } from '../api.ts';
import { address, go } from '../router.ts';
import { Trouble } from './answered.tsx';
import { Forget } from './forget.tsx';
import { Icon } from './icon.tsx';
import { Share } from './share.tsx';

export function SessionActions({ session }: { session: Session }) {
  const { id, agent } = session;
  const [said, setSaid] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const [sharing, setSharing] = useState(false);
  const attempt = (work: () => Promise<void>) => {
    setFailure(undefined);
    work().catch(setFailure);
  };

  /** Also restores the transcript if the agent has deleted it. For another agent, writes the session into that agent's files. */
  const copyCommand = async (into?: Carrier): Promise<void> => {
    const meant = await change('resume', { session: id, agent, print: true, ...(into ? { in: into } : {}) });
    if ('sessions' in meant) return;
    const commands = [['cd', meant.folder], ...(meant.before ? [meant.before] : []), meant.command];
    const line = commands.map((words) => words.map(quoted).join(' ')).join(' && ');
    const gone = meant.folderIsGone
      ? `. The folder is not there. If it was moved: holdfast projects link ${quoted(session.projectPath)} <new folder>`
      : '';
    setSaid(`${line}${gone}`);
    await navigator.clipboard.writeText(line);
    setSaid(`On your clipboard: ${line}${gone}`);
  };

  return (
    <>
      <div class="actions">
        {session.resume !== undefined && (
          <button type="button" onClick={() => attempt(() => copyCommand())}>
            <Icon name="copy" /> Copy resume command
          </button>
        )}
        <select
          aria-label="Continue in another agent"
          value=""
          onChange={(event) => {
            const into = carrierNames.find((name) => name === event.currentTarget.value);
            event.currentTarget.value = '';
            if (into !== undefined) attempt(() => copyCommand(into));
          }}
        >
          <option value="">Continue in …</option>
          {carrierNames
            .filter((name) => name !== agent)
            .map((name) => (
              <option key={name} value={name}>
                {agentTitles[name]}
              </option>
            ))}
        </select>
        <button type="button" onClick={() => setSharing(true)}>
          <Icon name="share" /> Share…
        </button>
        <button
          type="button"
          onClick={() =>
            attempt(async () => {
              const { outcome, file } = await change('archive', { id, agent });
              setSaid(outcome === 'none' ? 'The session has no messages to archive' : `Archived: ${file}`);
            })
          }
        >
          <Icon name="archive" /> Archive
        </button>
        <Forget
          id={id}
          agent={agent}
          title="Forget this session for good?"
          done={() => go(address('now'), { replace: true })}
        >
          <Icon name="forget" /> Forget…
        </Forget>
        <span class="dim" role="status">
          {said}
        </span>
      </div>
      {failure && <Trouble failure={failure} />}
      {sharing && <Share session={session} onClose={() => setSharing(false)} />}
    </>
  );
}

const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
