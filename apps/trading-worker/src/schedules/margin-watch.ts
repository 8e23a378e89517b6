import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { type Loop, startLoop } from './loop.js';

const EVERY_MS = 30_000;
/** Few, because a read that waits for the call budget keeps its slot. */
const CONCURRENCY = 8;

export interface MarginWatchOptions {
  /** Returns the accounts to read: those whose margin may be low. Others cost no calls. */
  readonly list: () => Promise<readonly string[]>;
  readonly read: (accountId: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Starts watching the margin of the worker's accounts with open positions, about every 30 s. */
export function startMarginWatch(gateway: ExchangeGateway): Loop {
  const { accounts } = gateway;
  const onError = gateway.errorLogger('margin_watch.failed', 'Could not read the margin of an account.');
  const options: MarginWatchOptions = {
    list: () => accounts.dueForMargin(),
    read: (accountId) => accounts.positions.watch(accountId),
    onError,
    wait: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
  };
  return startLoop(0, (signal) => watchMargins(options, signal), onError);
}

/**
 * Reads each listed account once, spread evenly over 30 s, so that their calls do not burst. A failure
 * stops no other account. Resolves after 30 s, when every read has ended.
 */
export async function watchMargins(options: MarginWatchOptions, signal: AbortSignal): Promise<void> {
  const { list, read, onError, wait } = options;
  const accountIds = await list().catch((error) => {
    onError(error);
    return [];
  });
  const limit = pLimit(CONCURRENCY);
  const reads: Promise<void>[] = [];
  const gapMs = EVERY_MS / Math.max(1, accountIds.length);
  for (const accountId of accountIds) {
    if (signal.aborted) break;
    reads.push(limit(() => read(accountId)).catch(onError));
    await wait(gapMs, signal);
  }
  if (accountIds.length === 0) await wait(EVERY_MS, signal);
  await Promise.all(reads);
}
