// Composes the MCP server: for the person's agents, or for the agent of one group.
import { statSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { dropHeld } from '../operations/data/forgotten-bell.ts';
import type { Programs } from '../operations/programs.ts';
import { askWorker } from '../processes/access/ask.ts';
import { type Memory, serveMcp } from '../surfaces/mcp/stdio.ts';
import type { Holdfast } from './open.ts';

export const serve: Programs['mcp'] = async ({ config, signal = new AbortController().signal }, group) => {
  const memory = openLater(config);
  if (group !== undefined) {
    const { checkGroup, groupInstructions, groupOperations } = await import('../surfaces/mcp/group.ts');
    await serveMcp(config, memory, signal, {
      check: checkGroup(group),
      table: groupOperations(group),
      instructions: groupInstructions(group),
    });
    return;
  }
  await serveMcp(config, memory, signal, {
    async ask(asked, input) {
      const elsewhere = asked.viaWorker?.(input);
      return elsewhere && askWorker(config.reload(), asked, elsewhere);
    },
  });
};

/** The memory, opened with the first call, and again when another file has replaced it, such as a restored backup. */
function openLater(config: Config): Memory {
  let opened: Promise<Holdfast> | undefined;
  let file: number | undefined;
  const fileNow = () => statSync(config.databasePath, { throwIfNoEntry: false })?.ino;
  const close = async () => {
    const last = opened;
    opened = file = undefined;
    // A store that failed to open needs no closing; its caller got the error.
    await (await last?.catch(() => undefined))?.close();
  };
  return {
    close,
    async drop() {
      // A store that failed to open holds nothing.
      const held = await opened?.catch(() => undefined);
      if (held !== undefined) await dropHeld(held.store);
    },
    async context() {
      if (file !== undefined && file !== fileNow()) await close();
      file ??= fileNow();
      opened ??= import('./open.ts').then(({ openHoldfast }) => openHoldfast(config.environment));
      try {
        const { context } = await opened;
        file ??= fileNow();
        return { ...context, config: config.reload() };
      } catch (error) {
        // The next call tries again: the person may have repaired it.
        opened = file = undefined;
        throw error;
      }
    },
  };
}
