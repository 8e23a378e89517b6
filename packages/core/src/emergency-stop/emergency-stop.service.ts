/**
 * Pauses all copiers of a user and cancels all open trades.
 *
 * 1. One transaction pauses the copiers, ends unsent trades, and stores the request to cancel all others. From its
 *    commit on the stop takes effect, even if the caller, this process or the trading worker fails.
 * 2. The wait only makes the response more complete: it reports the state at the end of the wait. An order that is
 *    still open then is not an error.
 * 3. A repeated stop also cancels trades that were placed since, and makes the other open trades due for a check now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Copier, type EmergencyStop, emergencyStopOperations } from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import pLimit from 'p-limit';
import { lockUser } from '../access/index.js';
import { openLotsOfUser, pauseAllCopiers } from '../copiers/index.js';
import { callWorker, lockAccountsOf } from '../exchange-accounts/index.js';
import { type Actor, authorise, type CommandRunner } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { type CancelRequestedTrade, readCancelAllResult, requestCancelAll } from '../trades/index.js';

/** The maximum wait for the exchanges. */
const WAIT_MS = 8_000;
/** Concurrent calls per account. An exchange that does not respond delays only its own orders and few worker calls. */
const CALL_CONCURRENCY = 2;

interface StopResult {
  readonly copiers: readonly Copier[];
  readonly trades: readonly CancelRequestedTrade[];
}

export class EmergencyStopService {
  constructor(
    private readonly platform: Platform,
    private readonly commands: CommandRunner,
    private readonly waitMs: number = WAIT_MS,
  ) {}

  async run(actor: Actor): Promise<EmergencyStop> {
    authorise(actor, emergencyStopOperations.run.access);
    return this.commands.runPrepared(
      actor.idempotency,
      () => this.stop(actor),
      (tx, stop) => viewStop(tx, actor, stop),
    );
  }

  private async stop({ userId }: Actor): Promise<StopResult> {
    const stop = await inTransaction(this.platform.database, async (tx) => {
      // Lock order: user, account, copier, trade. Archiving a strategy of the user holds its account and locks copiers.
      await lockUser(tx, userId);
      await lockAccountsOf(tx, userId);
      return { copiers: await pauseAllCopiers(tx, userId), trades: await requestCancelAll(tx, userId) };
    });
    await this.waitFor(stop.trades.filter(({ isSent }) => isSent));
    return stop;
  }

  /** Asks the worker to cancel these trades, accounts in parallel; returns after all calls, or when the wait ends. */
  private async waitFor(trades: readonly CancelRequestedTrade[]): Promise<void> {
    if (trades.length === 0) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    const done = Promise.all(byAccount(trades).map((ids) => this.cancelAt(ids, signal)));
    await Promise.race([done, sleep(this.waitMs, undefined, { signal }).catch(() => undefined)]);
    waiting.abort();
  }

  /** Ignores failed calls: the response lists the trades that are still open, and their next checks cancel them. */
  private async cancelAt(tradeIds: readonly string[], signal: AbortSignal): Promise<void> {
    await pLimit(CALL_CONCURRENCY).map(tradeIds, async (id) => {
      if (signal.aborted) return;
      await callWorker(this.platform, 'trade.cancel', { trade_id: id }).catch(() => undefined);
    });
  }
}

async function viewStop(tx: Tx, { userId }: Actor, { copiers, trades }: StopResult): Promise<EmergencyStop> {
  const ids = trades.map(({ id }) => id);
  const { cancelled, endedOtherwise, stillOpen } = await readCancelAllResult(tx, userId, ids);
  return {
    paused_copiers: [...copiers],
    open_lots: await openLotsOfUser(tx, userId),
    cancelled: [...cancelled],
    ended_otherwise: [...endedOtherwise],
    still_open: [...stillOpen],
  };
}

function byAccount(trades: readonly CancelRequestedTrade[]): readonly string[][] {
  const groups = new Map<string, string[]>();
  for (const { id, accountId } of trades) {
    const group = groups.get(accountId);
    if (group === undefined) groups.set(accountId, [id]);
    else group.push(id);
  }
  return [...groups.values()];
}
