/** Test support that depends on no feature. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** Default: 50,000. The timeout of a test is 60,000. */
  readonly timeoutMs?: number;
  /** The delay between two checks. Default: 10. */
  readonly everyMs?: number;
}

/**
 * Checks a condition repeatedly until it holds, and returns its value. It holds when the value is truthy. A check that
 * throws is repeated, so it may contain assertions.
 *
 * @throws if the condition does not hold in time; the cause is the error of the last check
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 50_000, everyMs = 10 }: EventuallyOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let last: { readonly value: unknown } | { readonly error: unknown };
    try {
      const value = await check();
      if (value) return value as Exclude<T, undefined | null | false>;
      last = { value };
    } catch (error) {
      last = { error };
    }
    if (performance.now() >= deadline) throw timedOut(timeoutMs, last);
    await sleep(everyMs);
  }
}

function timedOut(timeoutMs: number, last: { readonly value: unknown } | { readonly error: unknown }): Error {
  const condition = `The condition was not met within ${timeoutMs} ms`;
  return 'error' in last
    ? new Error(`${condition}; the last check failed: ${String(last.error)}`, { cause: last.error })
    : new Error(`${condition}; its last value was ${String(last.value)}.`);
}
