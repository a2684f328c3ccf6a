import type { ToolUse } from '../../schema/tool-use.ts';

/** Folded: the tool and what it was used on. Unfolded: what it got and what it gave. */
export function ToolView({ use }: { use: ToolUse }) {
  return (
    <details class={`tool${use.outcome === 'error' ? ' failed' : ''}`}>
      <summary>
        <span class="tool-name">{use.tool}</span>
        <span class="tool-gist">{gistOf(use)}</span>
        {use.outcome === 'error' && <span class="tool-failed">failed</span>}
      </summary>
      <Part title="Input" text={pretty(use.input)} />
      {use.output !== undefined && <Part title="Output" text={use.output} />}
    </details>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  if (text.trim() === '') return null;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}

/** The one field that says most: a command, a file, a pattern. */
function gistOf({ input, files }: ToolUse): string {
  const fields = parsed(input);
  for (const name of ['command', 'description', 'file_path', 'path', 'pattern', 'query', 'url', 'prompt']) {
    const value = fields?.[name];
    if (typeof value === 'string' && value.trim() !== '') return value.split('\n')[0] ?? '';
  }
  return files[0] ?? '';
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Inputs are cut where they are long: then it is no JSON any more, and shown as it is.
    return undefined;
  }
}

function pretty(input: string): string {
  const fields = parsed(input);
  if (fields === undefined) return input;
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n');
}
