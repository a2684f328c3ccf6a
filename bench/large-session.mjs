// A session of 100,000 entries for the bench of the viewer.
export const large = { session: 'cccccccc-0000-4000-8000-000000000001', entries: 100_000 };

export function idOf(i) {
  return `cccccccc-1111-4000-8000-${String(i).padStart(12, '0')}`;
}

/** Prompts, answers, commands with outputs and edits. A result is a line, but no entry of its own. */
export function largeTranscript() {
  const lines = [];
  for (let i = 0; i < large.entries; i++) {
    const role = i % 4 === 0 ? 'user' : 'assistant';
    const text = `Entry number ${i}. ${'All of it could be read, if anybody had the time. '.repeat(i % 7)}`;
    const at = (ms) => new Date(Date.parse('2026-01-01T00:00:00Z') + i * 1000 + ms).toISOString();
    const shared = { sessionId: large.session, cwd: '/srv/large' };
    const use =
      i % 8 === 1
        ? { name: 'Bash', input: { command: `make part-${i}`, description: 'Makes a part' } }
        : i % 40 === 3
          ? {
              name: 'Edit',
              input: {
                file_path: `/srv/large/part-${i % 100}.ts`,
                old_string: `old(${i});`,
                new_string: `fresh(${i});`,
              },
            }
          : undefined;
    lines.push({
      type: role,
      uuid: idOf(i),
      parentUuid: i === 0 ? null : idOf(i - 1),
      timestamp: at(0),
      ...shared,
      message: {
        role,
        content:
          role === 'user'
            ? text
            : [{ type: 'text', text }, ...(use === undefined ? [] : [{ type: 'tool_use', id: `toolu_${i}`, ...use }])],
      },
    });
    if (use !== undefined)
      lines.push({
        type: 'user',
        uuid: idOf(large.entries + i),
        parentUuid: idOf(i),
        timestamp: at(500),
        ...shared,
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: `toolu_${i}`, content: `made part-${i}\n`.repeat(i % 30) }],
        },
      });
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}
