// The commits that a session made, and the tokens that it used. Both are read from the transcript, so they come last.

import { dollars } from '../../../schema/dollars.ts';
import { useAnswer } from '../answer.ts';
import type { Session } from '../answers.ts';
import { read } from '../api.ts';
import { sessionAddress } from '../router.ts';
import { compact, number, plural } from '../time.ts';
import { Answered } from './answered.tsx';

export function SessionLedger({ session }: { session: Session }) {
  return (
    <>
      <Commits session={session} />
      <Tokens session={session} />
    </>
  );
}

function Commits({ session: { id, agent } }: { session: Session }) {
  const answer = useAnswer(`commits ${id}`, (signal) => read('sessions commits', { id, agent }, signal));
  return (
    <Answered answer={answer} rows={1}>
      {({ commits, repository }) =>
        commits.length > 0 && (
          <>
            <h2>Commits</h2>
            <ul class="commits">
              {commits.map(({ hash, subject, branch, entry }) => (
                <li key={`${hash} ${entry}`}>
                  {repository === undefined ? (
                    <code>{hash.slice(0, 8)}</code>
                  ) : (
                    <a
                      href={`${repository}/commit/${encodeURIComponent(hash)}`}
                      target="_blank"
                      rel="noopener noreferrer nofollow"
                    >
                      <code>{hash.slice(0, 8)}</code>
                    </a>
                  )}{' '}
                  <a href={sessionAddress(id, entry)}>{subject}</a> <span class="dim">{branch}</span>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Answered>
  );
}

function Tokens({ session: { id, agent } }: { session: Session }) {
  const answer = useAnswer(`usage ${id}`, (signal) => read('sessions usage', { id, agent }, signal));
  return (
    <Answered answer={answer} rows={1}>
      {({ models, cost, pricesOf }) =>
        models.length > 0 && (
          <>
            <h2>Tokens</h2>
            <dl class="account">
              {models.map((one) => (
                <div key={one.model}>
                  <dt>{one.model || 'Unnamed model'}</dt>
                  <dd title={`${number(one.input)} in, ${number(one.output)} out`}>
                    {plural(one.answers, 'answer')}: {compact(one.input)} in, {compact(one.output)} out,{' '}
                    {compact(one.cacheRead)} from caches, {compact(one.cacheWrite)} into caches
                    {one.cost !== undefined && ` · ${dollars(one.cost)}`}
                  </dd>
                </div>
              ))}
            </dl>
            <p class="dim">
              {cost === undefined
                ? 'The price of a model is not known here; the setting prices can name it.'
                : `${dollars(cost)} in all, by the list prices of ${pricesOf}.`}
            </p>
          </>
        )
      }
    </Answered>
  );
}
