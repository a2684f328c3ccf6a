// Values of Kubernetes secrets, in YAML and JSON: base64 below `data`, plain text below `stringData`.
import { isPlaceholder } from './placeholder.ts';
import type { Span } from './span.ts';

/** Whether a text may hold such a secret. Marks of a listing (numbers, `+`, `>`) may precede a line. */
export const mayHoldKubernetesSecret = (text: string): boolean => /kind["']?\s{0,4}:\s{0,4}["']?Secret\b/.test(text);

/** What may precede a line: its indentation, and the marks of a listing. */
const marks = '[ \\t\\d→>|+#:/-]{0,40}';
const block = new RegExp(`(?:^|\\n)(${marks})(?:data|stringData):[ \\t]*\\r?\\n`, 'g');
const line = new RegExp(
  `(${marks})["']?[\\w./-]{1,253}["']?:[ \\t]{1,8}["']?([^\\s"']{4,100000})["']?[ \\t]*(?:\\r?\\n|$)`,
  'y',
);
const object = /"(?:data|stringData)"\s{0,8}:\s{0,8}\{/g;
const field = /\s{0,400}"[\w./-]{1,253}"\s{0,8}:\s{0,8}"([^"\\]{4,100000})"\s{0,400}[,}]/y;

/** Contract: linear; call it only for texts that may hold one. */
export function findKubernetesSecrets(text: string): Span[] {
  const spans: Span[] = [];
  const take = (to: number, value: string, closing: number) => {
    if (!isPlaceholder(value)) spans.push({ from: to - closing - value.length, to: to - closing, name: 'secret' });
  };
  for (const { index, 0: head, 1: indent = '' } of text.matchAll(block)) {
    line.lastIndex = index + head.length;
    for (let found = line.exec(text); found !== null; found = line.exec(text)) {
      const [whole, deeper = '', value = ''] = found;
      if (deeper.length <= indent.length) break;
      take(found.index + whole.length, value, whole.length - whole.lastIndexOf(value) - value.length);
    }
  }
  for (const { index, 0: head } of text.matchAll(object)) {
    field.lastIndex = index + head.length;
    for (let found = field.exec(text); found !== null; found = field.exec(text)) {
      const [whole, value = ''] = found;
      take(found.index + whole.length, value, whole.length - whole.lastIndexOf(value) - value.length);
    }
  }
  return spans;
}
