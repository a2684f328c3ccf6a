// Open questions, and statements that contradict what a person wrote. An answer becomes a memory and removes the question.
import { useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Memory } from '../answers.ts';
import { change, Failure, read } from '../api.ts';
import { sessionAddress } from '../router.ts';
import { Answered, Trouble } from './answered.tsx';
import { Markdown } from './markdown.tsx';
import { Ago } from './moment.tsx';

const page = 'questions.md';

export function Questions() {
  const questions = useAnswer(
    'questions',
    (signal) => read('memory show', { name: page }, signal),
    ({ kind }) => kind === 'memory',
  );
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">Questions for you</h2>
      <Answered answer={questions} rows={3}>
        {({ memories, text }) =>
          memories.length === 0 ? (
            <p class="dim">No open questions.</p>
          ) : (
            <ul class="statements">
              {memories.map((one) => (
                <Question key={one.id} question={one} whole={text} again={questions.again} />
              ))}
            </ul>
          )
        }
      </Answered>
    </section>
  );
}

function Question({ question, whole, again }: { question: Memory; whole: string; again: () => void }) {
  const { text, session, project, at } = question;
  const [answer, setAnswer] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const isProposal = text.startsWith('[ ] ');
  /** Edits the file as a person would: marks the line's box, or removes the line. */
  const settle = async (said: string, mark?: 'x' | '-') => {
    setFailure(undefined);
    try {
      if (said !== '') await change('remember', { text: said, ...(project === '' ? {} : { project }) });
      const rest = whole
        .split('\n')
        .flatMap((line) =>
          line !== `- ${text}` ? [line] : mark === undefined ? [] : [`- ${text.replace(' ', mark)}`],
        );
      if (rest.join('\n') === whole)
        throw new Failure(
          'NOT_FOUND',
          'The question is not on its own line of the page',
          'Edit the page to remove it.',
        );
      await change('memory edit', { name: page, text: rest.join('\n'), was: whole });
      again();
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  return (
    <li class="statement">
      <Markdown text={isProposal ? text.slice(4) : text} />
      <p class="row-meta">
        {project !== '' && <span>{project}</span>}
        {session !== '' && <a href={sessionAddress(session)}>open session</a>}
        <Ago at={at} />
      </p>
      <form
        class="answer"
        onSubmit={(event) => {
          event.preventDefault();
          void settle(answer.trim());
        }}
      >
        <input
          aria-label="Your answer"
          placeholder="Your answer, as it should be remembered"
          value={answer}
          maxLength={2000}
          onInput={(event) => setAnswer(event.currentTarget.value)}
        />
        <button type="submit" class="strong" disabled={answer.trim() === ''}>
          Remember the answer
        </button>
        {isProposal && (
          <>
            <button type="button" onClick={() => void settle('', 'x')}>
              Keep what it says
            </button>
            <button type="button" onClick={() => void settle('', '-')}>
              Reject for good
            </button>
          </>
        )}
        <button type="button" onClick={() => void settle('')}>
          No longer open
        </button>
      </form>
      {failure && <Trouble failure={failure} />}
    </li>
  );
}
