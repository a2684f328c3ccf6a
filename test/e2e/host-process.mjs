// A host in a separate process that a test kills: node host-process.mjs <group> <text of the message>. Prints its agent's pid, and what it
// hears.
import { loadConfig } from '../../dist/config/config.js';
import { startAgent } from '../../dist/host/agent.js';

const [group, text] = process.argv.slice(2);
const say = (word, value = '') => console.log(`${word} ${JSON.stringify(value)}`);
const agent = await startAgent(
  { config: loadConfig(), log: (line) => console.error(line) },
  {
    group,
    events: {
      session: (session) => say('session', session),
      taken: (id) => say('taken', id),
      result: (result) => say('result', result),
      failed: (kind, message) => say('failed', [kind, message]),
    },
  },
);
say('pid', agent.pid);
agent.send({ id: 'm1', text });
say('exit', await agent.exited);
