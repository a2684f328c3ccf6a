// Forgets one entry with its tool uses, or one tool use, so that a secret in an output can go without the whole session.
import type { ToolUse } from '../../../schema/tool-use.ts';
import type { ShownEntry } from '../answers.ts';
import { Forget } from './forget.tsx';
import { Icon } from './icon.tsx';

export function ForgetEntry({ entry: { id, agent } }: { entry: ShownEntry }) {
  return (
    <Forget
      id={id}
      agent={agent}
      title="Forget this entry for good?"
      look="copy quiet"
      label="Forget this entry and what its tools did…"
    >
      <Icon name="forget" />
    </Forget>
  );
}

export function ForgetUse({ use }: { use: ToolUse }) {
  return (
    <Forget id={use.entry} use={use.id} title="Forget this tool use for good?" look="quiet forget-use">
      <Icon name="forget" /> Forget this tool use…
    </Forget>
  );
}
