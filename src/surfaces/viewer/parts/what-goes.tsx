// Lists what forgetting would delete, and what it cannot reach.
import type { Forgotten } from '../answers.ts';

const words = {
  sessions: ['session', 'sessions'],
  entries: ['entry', 'entries'],
  toolUses: ['tool use', 'tool uses'],
  observations: ['observation', 'observations'],
  summaries: ['summary', 'summaries'],
  briefings: ['briefing given since', 'briefings given since'],
  pins: ['pin', 'pins'],
  memories: ['conversation’s memories', 'conversations’ memories'],
} as const;

export function WhatGoes({ plan }: { plan: Forgotten }) {
  const gone = (Object.keys(words) as (keyof typeof words)[]).filter((key) => plan.removed[key] > 0);
  return (
    <>
      <p>
        <strong>{plan.title}</strong>
      </p>
      <p>This will be deleted for good:</p>
      <ul>
        {gone.map((key) => (
          <li key={key}>
            {plan.removed[key]} {words[key][plan.removed[key] === 1 ? 0 : 1]}
          </li>
        ))}
        {plan.files.map((file) => (
          <li key={file} class="path">
            {file}
          </li>
        ))}
      </ul>
      {plan.left.length > 0 && (
        <>
          <p>Holdfast does not change these; delete them yourself:</p>
          <ul>
            {plan.left.map((one) => (
              <li key={one} class="path">
                {one}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
