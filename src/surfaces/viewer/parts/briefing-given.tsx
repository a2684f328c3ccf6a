// The briefing that Holdfast gave a session at its start, word for word.
import { useAnswer } from '../answer.ts';
import type { Session } from '../answers.ts';
import { read } from '../api.ts';
import { Answered } from './answered.tsx';
import { CopyButton } from './copy-button.tsx';
import { Empty } from './empty.tsx';
import { Markdown } from './markdown.tsx';
import { Ago } from './moment.tsx';

export function BriefingGiven({ session }: { session: Session }) {
  const { id, agent } = session;
  const answer = useAnswer(`briefing ${id}`, async (signal) => {
    const { briefings = [] } = await read('show', { id, agent, limit: 1, briefings: true }, signal);
    return briefings;
  });
  return (
    <Answered answer={answer} rows={8}>
      {(given) =>
        given.length === 0 ? (
          <Empty title="This session was given no briefing" small>
            <p>
              It began before Holdfast was connected, or nothing was known about its project. What one would be told
              now: <code>holdfast briefing</code>
            </p>
          </Empty>
        ) : (
          given.map((one, i) => (
            <article key={`${one.at} ${i}`} class="briefing">
              <p class="row-meta">
                <span>{one.source}</span>
                <Ago at={one.at} />
                <CopyButton text={one.text} label="Copy this briefing" />
              </p>
              <Markdown text={one.text} />
            </article>
          ))
        )
      }
    </Answered>
  );
}
