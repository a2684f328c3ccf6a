import { withoutControls } from '../../../schema/plain-text.ts';
import type { ShownEntry } from '../answers.ts';
import { sessionAddress } from '../router.ts';
import { CopyButton } from './copy-button.tsx';
import { ForgetEntry } from './forget-entry.tsx';
import { Markdown } from './markdown.tsx';
import { Clock } from './moment.tsx';
import { EntryPictures } from './pictures.tsx';
import { ToolView } from './tool-view.tsx';

/** Claude Code wraps what its own commands print. */
const withoutFrame = (text: string): string => text.replace(/<\/?local-command-(?:stdout|stderr|caveat)>/g, '').trim();

const whose = { person: 'You', machine: 'Machine', model: 'Agent' } as const;

/** `follows`: the entry before has the same speaker, so the name is not repeated. */
export function EntryView({
  entry,
  focused,
  follows,
  folder = '',
  forgettable = false,
}: {
  entry: ShownEntry;
  focused: boolean;
  follows: boolean;
  /** The project's folder. Paths are shown relative to it. */
  folder?: string;
  /** Offers to forget the entry. */
  forgettable?: boolean;
}) {
  const { author, subagent, abandoned, gone, toolUses, tools } = entry;
  const text = author === 'machine' ? withoutFrame(withoutControls(entry.text)) : withoutControls(entry.text);
  // If the store did not keep the tool uses, show the tools' names.
  const unkept = text === '' && toolUses.length === 0 ? tools : [];
  return (
    <article
      class={`entry ${author}${focused ? ' focused' : ''}${abandoned ? ' abandoned' : ''}${follows ? ' follows' : ''}`}
    >
      <header>
        <span class={follows ? 'unseen' : 'who'}>{subagent === undefined ? whose[author] : 'Subagent'}</span>
        {abandoned && <span class="dim">on an abandoned branch</span>}
        {gone && <span class="dim">no longer in the transcript</span>}
        {text !== '' && <CopyButton text={text} label="Copy this entry" />}
        {forgettable && <ForgetEntry entry={entry} />}
        <a class="permalink" href={sessionAddress(entry.session, entry.id)}>
          <span class="unseen">This entry, </span>
          <Clock at={entry.at} />
        </a>
      </header>
      {text !== '' &&
        (author === 'machine' ? <p class="said">{text}</p> : <Markdown text={text} lines={author === 'person'} />)}
      {author === 'person' && /\[Image\b/.test(text) && <EntryPictures entry={entry} />}
      {unkept.length > 0 && <p class="said dim">used {unkept.join(', ')}</p>}
      {toolUses.length > 0 && (
        <div class="tools">
          {toolUses.map((use) => (
            <ToolView key={use.id} use={use} folder={folder} forgettable={forgettable} />
          ))}
        </div>
      )}
    </article>
  );
}
