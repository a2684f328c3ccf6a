// Text that a client or another memory puts into a person's message, in its own tags. The person did not say it.

/** Tags around such passages. */
const tags = [
  ...[
    'system-reminder',
    'system_reminder',
    'ide_opened_file',
    'ide_selection',
    'ide_diagnostics',
    'local-command-caveat',
  ],
  ...['hook_context', 'qwen:user-prompt-submit-context', 'environment_context', 'info-msg'],
  // Other memories.
  ...['claude-mem-context', 'supermemory-context', 'hindsight_memories', 'relevant-memories'],
];

/** The text without injected passages. Linear: searches forward once per tag. A passage without its end stays. */
export function withoutInjected(text: string): string {
  if (!text.includes('</')) return text.trim();
  let left = text;
  for (const tag of tags) {
    const open = `<${tag}>`;
    const close = `</${tag}>`;
    let start = left.indexOf(open);
    if (start < 0) continue;
    let kept = '';
    let from = 0;
    while (start >= 0) {
      const end = left.indexOf(close, start);
      if (end < 0) break;
      kept += left.slice(from, start);
      from = end + close.length;
      start = left.indexOf(open, from);
    }
    left = kept + left.slice(from);
  }
  return left.trim();
}
