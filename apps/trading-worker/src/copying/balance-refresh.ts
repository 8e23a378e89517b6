import { setTimeout as sleep } from 'node:timers/promises';

/** Copies wait no longer than this for balances that are read anew; what is still old by then is skipped. */
const WAIT_MS = 2_000;
const AT_ONCE = 20;

/**
 * Has balances read anew, as far as that works in time: an exchange that does not answer holds up nobody but those who
 * size by what it holds.
 *
 * @param sync - reads the balances of one account
 */
export function createBalanceRefresher(
  sync: (accountId: string) => Promise<unknown>,
): (accountIds: readonly string[]) => Promise<void> {
  return async (accountIds) => {
    const left = [...accountIds];
    const ended = new AbortController();
    const lane = async () => {
      for (let id = left.shift(); id !== undefined && !ended.signal.aborted; id = left.shift()) {
        await sync(id).catch(() => undefined);
      }
    };
    const done = Promise.all(Array.from({ length: AT_ONCE }, lane));
    await Promise.race([done, sleep(WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined)]);
    ended.abort();
  };
}
