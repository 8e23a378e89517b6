/**
 * Pauses all copiers of a user, cancels all open trades, and closes all positions in perpetuals if the user asks for it.
 *
 * 1. One transaction pauses the copiers, ends unsent trades, and stores the request to cancel all others. Once it is
 *    committed, the stop takes effect even if the caller, this process or the trading worker fails.
 * 2. The service then waits for the exchanges, and the response reports the state at the end of this wait. An order
 *    that is still open then is not an error.
 * 3. Orders that close positions are placed in the same transaction and are reduce-only, so an order that is filled before
 *    its cancellation cannot turn a position. A repeated stop closes what is left.
 * 4. A repeated stop also cancels trades that were placed since, and makes the other open trades due for a check now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Copier,
  type EmergencyStop,
  type EmergencyStopRequest,
  emergencyStopOperations,
  type Trade,
} from '@trading-automation/contracts';
import { type CallOwner, inTransaction, type Tx } from '@trading-automation/persistence';
import pLimit from 'p-limit';
import { lockUser } from '../access/index.js';
import { openLotsOfUser, pauseAllCopiers } from '../copiers/index.js';
import { callWorker, lockAccountsOf } from '../exchange-accounts/index.js';
import { type Actor, authorise, type CommandRunner } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import {
  type CancelRequestedTrade,
  closePositions,
  readCancelAllResult,
  requestCancelAll,
} from '../trades/index.js';

/** The maximum wait for the exchanges, in milliseconds. */
const WAIT_MS = 8_000;
/** The number of concurrent calls per account: an exchange that does not respond delays its own orders only. */
const CALL_CONCURRENCY = 2;

interface StopResult {
  readonly copiers: readonly Copier[];
  readonly trades: readonly CancelRequestedTrade[];
  /** The orders that close positions. */
  readonly closing: readonly Trade[];
}

export class EmergencyStopService {
  constructor(
    private readonly platform: Platform,
    private readonly commands: CommandRunner,
    private readonly waitMs: number = WAIT_MS,
  ) {}

  /** Runs the emergency stop of the actor, and returns its result after at most `waitMs`. */
  async run(
    actor: Actor,
    { close_positions }: EmergencyStopRequest = { close_positions: false },
  ): Promise<EmergencyStop> {
    authorise(actor, emergencyStopOperations.run.access);
    return this.commands.runPrepared(
      actor.idempotency,
      () => this.stop(actor, close_positions),
      (tx, stop) => viewStop(tx, actor, stop),
    );
  }

  private async stop(actor: Actor, closesPositions: boolean): Promise<StopResult> {
    const { userId } = actor;
    const stop = await inTransaction(this.platform.database, async (tx) => {
      // Locks in the order user, account, copier, trade. Archiving a strategy also locks an account before copiers, so
      // that the two cannot deadlock.
      await lockUser(tx, userId);
      await lockAccountsOf(tx, userId);
      const copiers = await pauseAllCopiers(tx, userId);
      const trades = await requestCancelAll(tx, userId);
      return { copiers, trades, closing: closesPositions ? await closePositions(tx, actor) : [] };
    });
    await this.waitForCancellation(
      userId,
      stop.trades.filter(({ isSent }) => isSent),
    );
    return stop;
  }

  /** Asks the worker to cancel these trades, accounts in parallel; returns after all calls, or when the wait ends. */
  private async waitForCancellation(userId: string, trades: readonly CancelRequestedTrade[]): Promise<void> {
    if (trades.length === 0) return;
    const controller = new AbortController();
    const { signal } = controller;
    const allCalls = Promise.all(
      [...byAccount(trades)].map(([accountId, ids]) => this.cancelOrders({ userId, accountId }, ids, signal)),
    );
    await Promise.race([allCalls, sleep(this.waitMs, undefined, { signal }).catch(() => undefined)]);
    controller.abort();
  }

  /** Ignores failed calls: the response lists the trades that are still open, and their next checks cancel them. */
  private async cancelOrders(
    owner: CallOwner,
    tradeIds: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    await pLimit(CALL_CONCURRENCY).map(tradeIds, async (id) => {
      if (signal.aborted) return;
      await callWorker(this.platform, 'trade.cancel', { trade_id: id }, owner).catch(() => undefined);
    });
  }
}

async function viewStop(
  tx: Tx,
  { userId }: Actor,
  { copiers, trades, closing }: StopResult,
): Promise<EmergencyStop> {
  const ids = trades.map(({ id }) => id);
  const { cancelled, endedOtherwise, stillOpen } = await readCancelAllResult(tx, userId, ids);
  return {
    paused_copiers: [...copiers],
    open_lots: await openLotsOfUser(tx, userId),
    closing: [...closing],
    cancelled: [...cancelled],
    ended_otherwise: [...endedOtherwise],
    still_open: [...stillOpen],
  };
}

/** Groups the ids of the trades by account. */
function byAccount(trades: readonly CancelRequestedTrade[]): ReadonlyMap<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, accountId } of trades) {
    const group = groups.get(accountId);
    if (group === undefined) groups.set(accountId, [id]);
    else group.push(id);
  }
  return groups;
}
