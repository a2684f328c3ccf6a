// The worker's HTTP port. If another program holds the port, the worker continues from transcripts alone, and each poll tries again.
import { explain } from '../../system/errors.ts';

export interface Door {
  /** Opens the port, or reports once why not. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export function door(
  listen: () => Promise<{ port: number; close(): Promise<void> }>,
  log: (line: string) => void,
): Door {
  let server: Awaited<ReturnType<typeof listen>> | undefined;
  let complaint = '';
  let closed = false;
  return {
    async open() {
      if (server !== undefined || closed) return;
      try {
        const opened = await listen();
        // The worker may have been stopped in between.
        if (closed) return await opened.close();
        server = opened;
        log(`listening on http://127.0.0.1:${server.port}`);
        complaint = '';
      } catch (error) {
        const { message, hint } = explain(error, 'HTTP');
        if (message !== complaint) log(hint === undefined ? message : `${message}. ${hint}`);
        complaint = message;
      }
    },
    async close() {
      closed = true;
      await server?.close();
    },
  };
}
