import { describe, expect, it } from 'vitest';
import { demoMemory } from '../../../test/demo-memory.ts';
import { recallOnPrompt } from './on-prompt.ts';

const on = { HOLDFAST_RECALL_ON_PROMPT: 'true' };

async function ask(prompt: string, project: string, session = 'new') {
  const { context } = await demoMemory(on);
  return recallOnPrompt(context, { prompt, project: { name: project }, session });
}

const jwt = '67096c2b-dd0a-4251-9e62-a74f249013d6';

describe('recall on a prompt', () => {
  it.each([
    ['turnstile', 'why do users with two tabs get logged out at random?', 'logged out at random'],
    ['turnstile', 'how did we make the jwt refresh token rotation atomic?', 'the rotation is atomic'],
    ['turnstile', 'which headers does the access log allow list hold?', 'allow list of three headers'],
    [
      'courier',
      'the backfill of bodies stopped with invalid memory alloc request size',
      'It ended: Changed and restarted',
    ],
    ['courier', 'webhooks are stuck in queued after a deploy, are they lost?', 'Webhooks lost on deploy'],
    ['courier', 'is the backoff test flaky again?', 'Flaky backoff test'],
  ])('in %s answers %j', async (project, prompt, answer) => {
    const { text, items } = await ask(prompt, project);
    expect(text).toContain(answer);
    expect(text).toMatch(/^<holdfast-briefing>\n.*\n(?:- .*\n){1,3}<\/holdfast-briefing>$/);
    expect(items[0]).toMatchObject({ kind: 'past', id: expect.any(String) });
  });

  it.each([
    ['turnstile', 'fix the tests'],
    ['turnstile', 'continue'],
    ['turnstile', '/compact'],
    ['turnstile', 'add a refresh button to the users page'],
    ['turnstile', 'users cannot log in on mobile, the login button is grey'],
    ['turnstile', 'write a test for the logout page with two users'],
    ['turnstile', 'add a dark mode to the settings page'],
    ['courier', 'add retry to the email sender'],
    ['courier', 'the deliveries page is slow for big customers'],
    ['courier', 'why do users with two tabs get logged out at random?'],
  ])('in %s says nothing to %j', async (project, prompt) => {
    expect(await ask(prompt, project)).toEqual({ text: '', items: [] });
  });

  it('says nothing to a pasted log', async () => {
    const log = 'and more of this log '.repeat(300);
    const prompt = `why do users with two tabs get logged out at random? ${log}`;
    expect(await ask(prompt, 'turnstile')).toEqual({ text: '', items: [] });
  });

  it('does not tell a session what it said itself, nor what is muted', async () => {
    const prompt = 'how did we make the jwt refresh token rotation atomic?';
    expect((await ask(prompt, 'turnstile', jwt)).text).toBe('');
    const { context } = await demoMemory(on);
    await context.store.pins.set({ kind: 'session', id: jwt, agent: 'claude-code' }, 'muted', 1);
    expect((await recallOnPrompt(context, { prompt, project: { name: 'turnstile' }, session: 'new' })).text).toBe('');
  });

  it('is silent until the person turns it on', async () => {
    const { context } = await demoMemory();
    const prompt = 'why do users with two tabs get logged out at random?';
    expect((await recallOnPrompt(context, { prompt, project: { name: 'turnstile' }, session: 'new' })).text).toBe('');
  });
});
