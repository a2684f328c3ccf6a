// `holdfast chat` in a real terminal: streamed answers, follow-ups while the agent works, and ways to leave.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { program } from './holdfast.ts';
import { begun, hosting, outgoing, scripted, status } from './host-chat.ts';
import { trouble } from './host-stand.ts';
import { prompt, screen } from './screen.ts';

describe.skipIf(trouble)(because('a chat at the terminal', trouble), () => {
  it('shows the answer once, takes the next message, and leaves with Ctrl+D; it resumes by itself', async () => {
    const stand = await begun(['family']);
    const env = { ...stand.env, PATH: `${path.dirname(program)}:${stand.env.PATH}`, TERM: 'screen-256color' };
    const at = await screen(env, 120, 40);
    at.run('holdfast chat family');
    await at.sees('this chat runs the agent itself');
    await at.sees(/^›$/m);
    at.run(scripted('One', [{ text: 'The first answer.' }]));
    await at.sees(/^The first answer\.\n›$/m);
    at.run(scripted('Two', [{ text: 'The \u001b[31msecond\u0007 one.' }]));
    await at.sees(/^The .*second one\.\n›$/m);
    expect(at.shown().split('The first answer.').length).toBe(3);
    expect(outgoing(stand, 'family').map(({ text }) => text)).toEqual([
      'The first answer.',
      expect.stringContaining('second'),
    ]);
    at.press('C-d');
    await at.sees(new RegExp(`${prompt.trim().replace('$', '\\$')}\\s*$`));
    expect(await status(stand)).toMatchObject({ running: false, processes: [] });
    const { session } = (await status(stand)).groups[0];

    await hosting(stand);
    // The person types ahead, before the chat has started: these lines are messages too.
    at.run('clear; holdfast chat family');
    at.run(scripted('Three', [{ text: 'The third answer.', delay: 1500 }]));
    at.run(scripted('Four', [{ text: 'The fourth answer.' }]));
    await at.sees(/^(?:› )?The fourth answer\.$/m);
    expect((await status(stand)).groups[0].session).toBe(session);
    at.press('C-c');
    await at.sees(new RegExp(`${prompt.trim().replace('$', '\\$')}\\s*$`));
    // The host ran before the chat, and keeps running.
    expect((await status(stand)).running).toBe(true);
  });
});
