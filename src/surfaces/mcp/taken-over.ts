// A server that takes over from bin/holdfast-mcp.sh: it reads the handshake that the shell has answered, without
// answering it again, then the line that the shell could not answer, then the client.
import { PassThrough, type Readable, Transform, type Writable } from 'node:stream';

export interface TakenOver {
  /** The lines that the shell has answered. */
  readonly said?: string | undefined;
  /** The line that the shell could not answer. */
  readonly line?: string | undefined;
}

export function takeOver(
  { said = '', line = '' }: TakenOver,
  client: { readonly input: Readable; readonly output: Writable },
): { input: Readable; output: Writable } {
  if (said === '' && line === '') return client;
  const answered = new Set(said.split('\n').flatMap(idOf));
  const input = new PassThrough();
  for (const one of [said, line]) if (one !== '') input.write(`${one}\n`);
  client.input.pipe(input);
  if (answered.size === 0) return { input, output: client.output };
  const output = new Transform({
    transform(bytes, _, done) {
      // The transport writes one whole message at a time.
      const [id] = idOf(String(bytes));
      const known = id !== undefined && answered.delete(id);
      done(null, known ? undefined : bytes);
    },
  });
  output.pipe(client.output);
  return { input, output };
}

function idOf(line: string): (string | number)[] {
  try {
    const { id } = JSON.parse(line);
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  } catch {
    return [];
  }
}
