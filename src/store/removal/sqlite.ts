// The port of removal, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { deletion } from './deletion.ts';
import { forgetting } from './forgetting.ts';
import type { RemovalPort } from './port.ts';
import { textRewriting } from './rewrite.ts';

export const removalPort = (connection: Connection): RemovalPort => ({
  ...deletion(connection),
  ...forgetting(connection),
  ...textRewriting(connection),
});
