import { setTimeout as sleep } from 'node:timers/promises';

/** The maximum time that copies wait for fresh balances. Copies whose balances are still old are skipped. */
const WAIT_MS = 2_000;
const CONCURRENCY = 20;

/**
 * Creates a function that refreshes balances and returns after 2 s at the latest. An exchange that does not respond
 * delays only the copies that need its balances.
 *
 * @param sync reads the balances of one account
 */
export function createBalanceRefresher(
  sync: (accountId: string) => Promise<unknown>,
): (accountIds: readonly string[]) => Promise<void> {
  return async (accountIds) => {
    const pending = [...accountIds];
    const ended = new AbortController();
    const worker = async () => {
      for (let id = pending.shift(); id !== undefined && !ended.signal.aborted; id = pending.shift()) {
        await sync(id).catch(() => undefined);
      }
    };
    const done = Promise.all(Array.from({ length: CONCURRENCY }, worker));
    await Promise.race([done, sleep(WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined)]);
    ended.abort();
  };
}
