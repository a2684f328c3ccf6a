import { useAnswer } from '../answer.ts';
import type { Check } from '../answers.ts';
import { read } from '../api.ts';
import { exactly } from '../time.ts';
import { Answered } from './answered.tsx';

/** The results of `holdfast status` and `holdfast doctor`. Both run their checks again, which takes a moment. */
export function Checks() {
  const status = useAnswer('status', (signal) => read('status', {}, signal));
  const doctor = useAnswer('doctor', (signal) => read('doctor', {}, signal));
  const looking = doctor.waiting || status.waiting;
  return (
    <>
      <div class="title-line">
        <h1>Health</h1>
        <button
          type="button"
          disabled={looking}
          onClick={() => {
            status.again();
            doctor.again();
          }}
        >
          {looking ? 'Checking…' : 'Check again'}
        </button>
      </div>
      <div class="columns">
        <div>
          <h2>Capture</h2>
          <div class="checking">
            <Answered answer={status} rows={7}>
              {({ checks }) => <CheckList checks={checks} />}
            </Answered>
          </div>
        </div>
        <div>
          <h2>Storage</h2>
          <div class="checking sound">
            <Answered answer={doctor} rows={7}>
              {({ checks }) => <CheckList checks={checks} />}
            </Answered>
          </div>
        </div>
      </div>
    </>
  );
}

/** Messages hold times in UTC, as in the log. */
const inLocalTime = (message: string): string => message.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, exactly);

const CheckList = ({ checks }: { checks: readonly Check[] }) => (
  <ul class="checks">
    {checks.map(({ name, ok, off, message, hint }, i) => (
      <li key={`${name} ${i}`} class={off ? 'off' : ok ? 'well' : 'ill'}>
        <span class="mark" role="img" aria-label={off ? 'Not in use' : ok ? 'All is well' : 'Needs attention'}>
          {off ? '–' : ok ? '✓' : '!'}
        </span>
        <div>
          <strong>{name}</strong> {inLocalTime(message)}
          {hint && <p class="hint">{hint}</p>}
        </div>
      </li>
    ))}
  </ul>
);
