// What was left open, or contradicts what a person wrote. An answer becomes a memory; then the question goes.
import { useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Memory } from '../answers.ts';
import { change, type Failure, read } from '../api.ts';
import { sessionAddress } from '../router.ts';
import { Answered, Trouble } from './answered.tsx';
import { Markdown } from './markdown.tsx';
import { Ago } from './moment.tsx';

const page = 'questions.md';

export function Questions() {
  const questions = useAnswer(
    page,
    (signal) => read('memory show', { name: page }, signal),
    ({ kind }) => kind === 'memory',
  );
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">Questions for you</h2>
      <Answered answer={questions} rows={3}>
        {({ memories }) =>
          memories.length === 0 ? (
            <p class="dim">None is open.</p>
          ) : (
            <ul class="statements">
              {memories.map((one) => (
                <Question key={one.id} question={one} again={questions.again} />
              ))}
            </ul>
          )
        }
      </Answered>
    </section>
  );
}

function Question({ question, again }: { question: Memory; again: () => void }) {
  const { id, text, session, project, at } = question;
  const [answer, setAnswer] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const settle = async (said: string) => {
    setFailure(undefined);
    try {
      if (said !== '') await change('remember', { text: said, ...(project === '' ? {} : { project }) });
      await change('memory forget', { name: id });
      again();
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  return (
    <li class="statement">
      <Markdown text={text} />
      <p class="row-meta">
        {project !== '' && <span>{project}</span>}
        {session !== '' && <a href={sessionAddress(session)}>its session</a>}
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
        <button type="button" onClick={() => void settle('')}>
          No longer open
        </button>
      </form>
      {failure && <Trouble failure={failure} />}
    </li>
  );
}
