/**
 * Stops whatever of a user could still trade by itself.
 *
 * 1. One transaction pauses the copiers, ends what was not sent, and keeps the wish to cancel everything else. From its
 *    commit on the stop happens, whatever becomes of the caller, this process or the trading worker.
 * 2. Waiting is for the answer alone: it tells what is so when the wait is over, and is no failure where something is
 *    still open.
 * 3. Run again, it stops what has come since, and is due at once with what is left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Copier, type EmergencyStop, emergencyStopOperations } from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { lockUser } from '../access/index.js';
import { openLotsOfUser, pauseAllCopiers } from '../copiers/index.js';
import { callWorker, lockAccountsOf } from '../exchange-accounts/index.js';
import { type Actor, authorise, type CommandRunner } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { type CancelRequestedTrade, readCancelAllResult, requestCancelAll } from '../trades/index.js';

/** How long the exchanges are waited for. */
const WAIT_MS = 8_000;
/** Of one account: an exchange that does not answer holds up its own orders, and few of the worker's hands. */
const CALLS_AT_ONCE = 2;

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
      (tx, stop) => answer(tx, actor, stop),
    );
  }

  private async stop({ userId }: Actor): Promise<StopResult> {
    const stop = await inTransaction(this.platform.database, async (tx) => {
      // User, account, copier, trade: an archive of the user's own strategy holds its account and wants its copiers.
      await lockUser(tx, userId);
      await lockAccountsOf(tx, userId);
      return { copiers: await pauseAllCopiers(tx, userId), trades: await requestCancelAll(tx, userId) };
    });
    await this.waitFor(stop.trades.filter(({ isSent }) => isSent));
    return stop;
  }

  /** Has the worker cancel these now, the accounts side by side; returns when it has, or when the wait is over. */
  private async waitFor(trades: readonly CancelRequestedTrade[]): Promise<void> {
    if (trades.length === 0) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    const done = Promise.all(byAccount(trades).map((ids) => this.cancelAt(ids, signal)));
    await Promise.race([done, sleep(this.waitMs, undefined, { signal }).catch(() => undefined)]);
    waiting.abort();
  }

  /** A call that fails is no news: the answer says what is open, and the looks at open trades go on with it. */
  private async cancelAt(tradeIds: readonly string[], signal: AbortSignal): Promise<void> {
    const left = [...tradeIds];
    const lane = async () => {
      for (let id = left.shift(); id !== undefined && !signal.aborted; id = left.shift())
        await callWorker(this.platform, 'trade.cancel', { trade_id: id }).catch(() => undefined);
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, lane));
  }
}

async function answer(tx: Tx, { userId }: Actor, { copiers, trades }: StopResult): Promise<EmergencyStop> {
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
