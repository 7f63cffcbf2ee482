import { queries } from '../api/queries.js';
import type { Search } from './address.js';
import { type Me, meQuery } from './session/me.js';
import { router } from './router.js';
import { startOf } from './screens.js';
import { sessionState } from './session/session.js';

/**
 * Asks at once for what the first screen needs, while its words are on their way. What fails is
 * asked for again, and shown, by what needs it.
 */
export function askAhead(): void {
  const fails = (): undefined => undefined;
  void router.preloadRoute({ to: router.latestLocation.pathname }).catch(fails);
  if (sessionState() !== 'none') queries.query(meQuery).then(readQueueAhead).catch(fails);
}

/** Begins to read the queue, if it is the first screen and the person sees it now. */
async function readQueueAhead({ permissions, mustDo }: Me): Promise<void> {
  const { pathname } = router.latestLocation;
  const place = pathname === '/' ? startOf(permissions) : pathname;
  if (place !== '/queue' || mustDo !== null || !permissions.includes('read-findings')) return;
  const { readAhead } = await import('../queue/queue-screen.js');
  readAhead(router.latestLocation.search as Search);
}
