// The process that is killed when a step takes too long. It reports which seed it starts and what went wrong with it.
import { steps } from './steps.ts';
import { textOf } from './texts.ts';

const [name = '', length = '', ...seeds] = process.argv.slice(2);
const step = steps[name];
if (step === undefined || process.send === undefined) throw new Error(`no step ${name}`);
for (const seed of seeds) {
  process.send({ seed: Number(seed) });
  // Send the message before the step blocks the event loop.
  await new Promise(setImmediate);
  try {
    const made = step(textOf(Number(seed), Number(length)));
    if (Array.isArray(made)) await Promise.all(made);
  } catch (error) {
    process.send({
      failed: Number(seed),
      message: error instanceof Error ? `${error.message}\n${error.stack}` : String(error),
    });
  }
}
process.send({ done: true });
process.disconnect();
