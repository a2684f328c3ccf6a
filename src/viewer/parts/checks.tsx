import { useAnswer } from '../answer.ts';
import type { Check } from '../answers.ts';
import { read } from '../api.ts';
import { exactly } from '../time.ts';
import { Answered } from './answered.tsx';

/** What `holdfast status` and `holdfast doctor` say. Both look anew, which takes a moment. */
export function Checks() {
  const status = useAnswer('status', (signal) => read('status', {}, signal));
  const doctor = useAnswer('doctor', (signal) => read('doctor', {}, signal));
  return (
    <div class="columns">
      <div>
        <h2>Are sessions captured?</h2>
        <Answered answer={status} rows={6}>
          {({ checks }) => <CheckList checks={checks} />}
        </Answered>
      </div>
      <div>
        <h2>Is what is kept sound?</h2>
        <Answered answer={doctor} rows={8}>
          {({ checks }) => <CheckList checks={checks} />}
        </Answered>
        <button
          type="button"
          disabled={doctor.waiting || status.waiting}
          onClick={() => {
            status.again();
            doctor.again();
          }}
        >
          {doctor.waiting || status.waiting ? 'Looking…' : 'Look again'}
        </button>
      </div>
    </div>
  );
}

/** The terminal tells times as the log does. */
const inLocalTime = (message: string): string => message.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, exactly);

const CheckList = ({ checks }: { checks: readonly Check[] }) => (
  <ul class="checks">
    {checks.map(({ name, ok, message, hint }, i) => (
      <li key={`${name} ${i}`} class={ok ? 'well' : 'ill'}>
        <span class="mark" role="img" aria-label={ok ? 'All is well' : 'Needs you'}>
          {ok ? '✓' : '!'}
        </span>
        <div>
          <strong>{name}</strong> {inLocalTime(message)}
          {hint && <p class="hint">{hint}</p>}
        </div>
      </li>
    ))}
  </ul>
);
