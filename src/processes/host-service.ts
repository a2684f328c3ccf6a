// The host as a service: from login on it waits for messages and tasks.
import path from 'node:path';
import { ring } from '../sessions/groups/bell.ts';
import { hostOf } from './host-holder.ts';
import { hostKind } from './service-file.ts';
import type { Service } from './worker-service.ts';

export const hostService: Service = {
  kind: hostKind,
  /** Where programs are, the model's service and its key, and what leads to an engine of containers. */
  variables:
    /^(?:PATH|ANTHROPIC_(?:API_KEY|AUTH_TOKEN|BASE_URL)|DOCKER_(?:HOST|CONTEXT|CONFIG|TLS_VERIFY|CERT_PATH)|CONTAINER_(?:HOST|CONNECTION|SSHKEY)|CONTAINERS_\w*CONF)$/,
  isRunning: async (config) => (await hostOf(config)) !== undefined,
  // The claim comes first, then it may turn out that no agent can be started.
  isUp: (config) => ring(config),
  logFile: ({ logPath }) => path.join(path.dirname(logPath), 'host.log'),
  instead: 'Let your login run: holdfast host run',
  // A sandbox of containers is tried out first.
  patienceMs: 60_000,
};
