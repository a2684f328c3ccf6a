// The host as a service: it waits for messages and tasks from login on.
import path from 'node:path';
import { ring } from '../sessions/groups/bell.ts';
import { hostOf } from './host-holder.ts';
import { hostKind } from './service-file.ts';
import type { Service } from './worker-service.ts';

export const hostService: Service = {
  kind: hostKind,
  /** Variables for finding programs, the model's service and its key, and a container engine. */
  variables:
    /^(?:PATH|ANTHROPIC_(?:API_KEY|AUTH_TOKEN|BASE_URL)|DOCKER_(?:HOST|CONTEXT|CONFIG|TLS_VERIFY|CERT_PATH)|CONTAINER_(?:HOST|CONNECTION|SSHKEY)|CONTAINERS_\w*CONF)$/,
  isRunning: async (config) => (await hostOf(config)) !== undefined,
  // The host takes the claim first; only then may it turn out that no agent can start.
  isUp: (config) => ring(config),
  logFile: ({ logPath }) => path.join(path.dirname(logPath), 'host.log'),
  instead: 'Let your login run: holdfast host run',
  // A container sandbox is tried first.
  patienceMs: 60_000,
};
