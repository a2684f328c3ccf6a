// The code of the hub, loaded only by processes that run its commands: it brings the driver.
import { keepHeapSmall } from '../../system/heap.ts';

/** Everything that the commands of a hub call. */
export const hub = async () => {
  // First: loading the code is what lets the heap grow.
  keepHeapSmall();
  const [admin, connect, join, local, membership, share, sync, url] = await Promise.all([
    import('../../hub/admin.ts'),
    import('../../hub/connect.ts'),
    import('../../hub/join.ts'),
    import('../../hub/local.ts'),
    import('../../hub/membership.ts'),
    import('../../hub/share.ts'),
    import('../../hub/sync.ts'),
    import('../../hub/url.ts'),
  ]);
  return { ...admin, ...connect, ...join, ...local, ...membership, ...share, ...sync, ...url };
};
