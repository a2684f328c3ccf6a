#!/usr/bin/env node
// A chat in the terminal that remembers: Holdfast's session library in use, in one file without dependencies.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { autosave, SessionManager } from 'holdfast/sessions';

const usage = `chat.mjs [--continue | --resume ID] [--list] [--name NAME] [--model MODEL] [--dir FOLDER]

  --continue      continue the last session, or start one if there is none
  --resume ID     continue this session
  --list          list the stored sessions

Uses Anthropic if ANTHROPIC_API_KEY is set (ANTHROPIC_BASE_URL for another address), else a service with OpenAI's chat API at
OPENAI_BASE_URL (default https://api.openai.com/v1; a local Ollama: http://localhost:11434/v1), with OPENAI_API_KEY.`;

const options = {
  continue: { type: 'boolean' },
  resume: { type: 'string' },
  list: { type: 'boolean' },
  name: { type: 'string' },
  model: { type: 'string' },
  dir: { type: 'string' },
  help: { type: 'boolean' },
};

const providers = {
  anthropic: {
    model: 'claude-sonnet-4-5',
    request: (model, messages) => ({
      url: `${process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com'}/v1/messages`,
      headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY, 'anthropic-version': '2023-06-01' },
      body: { model, max_tokens: 4096, messages },
    }),
    textOf: (answer) => answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
  },
  openai: {
    model: 'gpt-5-mini',
    request: (model, messages) => ({
      url: `${process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'}/chat/completions`,
      headers: { authorization: `Bearer ${process.env.OPENAI_API_KEY ?? 'none'}` },
      body: { model, messages },
    }),
    textOf: (answer) => answer.choices[0].message.content,
  },
};

/** Resolves with the answer's text. Rejects with a sentence for the person. */
async function ask(provider, model, messages, signal) {
  const { url, headers, body } = provider.request(model, messages);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  }).catch((error) => {
    throw new Error(`${url} cannot be reached: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return provider.textOf(JSON.parse(text));
}

async function main() {
  const { values: wishes } = parseArgs({ options });
  if (wishes.help) return console.log(usage);
  const manager = new SessionManager(wishes.dir === undefined ? {} : { sessionDir: wishes.dir });
  if (wishes.list) {
    for (const { id, lastActivityAt, messageCount, firstMessage } of await manager.listSessions())
      console.log(
        `${id}  ${lastActivityAt.slice(0, 16).replace('T', ' ')}  ${messageCount} messages  ${firstMessage.slice(0, 60)}`,
      );
    return;
  }

  const id = wishes.resume ?? (wishes.continue ? await manager.getLastSession() : null);
  const restored = id === null ? null : await manager.restoreSession(id);
  if (wishes.resume !== undefined && restored === null)
    throw new Error(`There is no session ${wishes.resume}. --list shows the stored ones.`);
  const messages = restored?.messages ?? [];
  // For the person only: the model gets the messages themselves.
  if (restored) console.log(`${restored.contextSummary}\n`);
  else if (wishes.continue) console.log('There is no session to continue; this is a new one.\n');

  const name = process.env.ANTHROPIC_API_KEY ? 'anthropic' : 'openai';
  const provider = providers[name];
  const model = wishes.model ?? provider.model;
  const saving = autosave(manager, () => messages, {
    ...(restored ? { name: id } : wishes.name === undefined ? {} : { name: wishes.name }),
    provider: name,
    model,
    onError: (error) => console.error(`The session could not be saved: ${error.message}`),
  });

  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: '> ',
    terminal: process.stdin.isTTY,
  });
  // In a terminal readline takes Ctrl+C for itself, but it must still end the process.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== '') {
      messages.push({ role: 'user', content: line });
      saving.note('user-message');
      try {
        const answer = await ask(provider, model, messages);
        messages.push({ role: 'assistant', content: answer });
        saving.note('response');
        console.log(`${answer}\n`);
      } catch (error) {
        // Remove the question, so that it is not asked again with the next one. It may have been saved already.
        messages.pop();
        saving.note('user-message');
        console.error(error.message);
        process.exitCode = 1;
      }
    }
    lines.prompt();
  }
  await saving.close();
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
