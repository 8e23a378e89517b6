import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

/** The maximum time that copies wait for fresh balances. After it, copies whose balances are too old are skipped. */
const WAIT_MS = 2_000;
const CONCURRENCY = 20;

/**
 * Creates a function that refreshes balances and returns after 2 s at the latest. An exchange that does not respond
 * delays only the copies that need its balances. It returns the accounts whose balances it did not request in time.
 *
 * @param sync reads the balances of one account
 */
export function createBalanceRefresher(
  sync: (accountId: string) => Promise<unknown>,
): (accountIds: readonly string[]) => Promise<readonly string[]> {
  return async (accountIds) => {
    const timeout = new AbortController();
    const limit = pLimit(CONCURRENCY);
    const remaining = new Set(accountIds);
    const done = limit.map(accountIds, (id) => {
      remaining.delete(id);
      return sync(id).catch(() => undefined);
    });
    await Promise.race([done, sleep(WAIT_MS, undefined, { signal: timeout.signal }).catch(() => undefined)]);
    timeout.abort();
    limit.clearQueue();
    return [...remaining];
  };
}
