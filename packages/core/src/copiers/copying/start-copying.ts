/**
 * Determines which signals and lots a copier follows from its start on.
 *
 * 1. The watermark is the strategy's last sequence, locked until the start is committed. Only later signals are
 *    copied.
 * 2. What the copier still holds of lots that the strategy reduced or closed during the pause is reported (drift). It
 *    is sold only if `resync` is set.
 * 3. Lots that are already open are copied only if `copy_existing` is set, at the current price and within the same
 *    limits. A lot for which the copier ever placed an order is never copied again.
 */
import {
  assetsOfSymbol,
  type CopierStart,
  type CopierStatus,
  type CopierStatusReason,
  canonicalDecimal,
  type Decimal,
  type DomainError,
  type QuoteAliases,
} from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { invalidState } from '../../operations/index.js';
import { type Signal, signalsAfter } from '../../strategies/index.js';
import { type Equity, equitiesOf } from '../../trade-pairs/index.js';
import { BigDecimal, floorToStep } from '../../values/index.js';
import { markStarted } from '../copiers.queries.js';
import { soldShareOf } from '../planning/coarse-signal.rules.js';
import { aliasesOf } from '../planning/pair-choice.rules.js';
import { plannedSignalOf } from '../planning/planned-signal.js';
import { resetPeakAfterDrawdown } from './copier-risk-monitor.service.js';
import { databaseNow } from './copy-inputs.queries.js';
import { EQUITY_AGE_MAX_MS, planCopies } from './copy-planner.service.js';
import { forgetCopiedLots, reopenExit } from './decisions.queries.js';
import { groupBy } from './group-by.js';
import { type MissedExit, missedExits, openLeaderLots } from './leader-lots.queries.js';
import type { LotDrift } from './lot-drift.js';
import type { BookMids } from './plan-batch.js';
import { storePlans } from './store-plans.js';

/** The fields of a locked copier that its start needs. */
export interface CopierToStart {
  readonly id: string;
  readonly userId: string;
  readonly exchangeAccountId: string;
  readonly strategyId: string | null;
  readonly status: CopierStatus;
  readonly statusReason: CopierStatusReason | null;
  readonly maxDrawdownPercent: Decimal | null;
  readonly sizingCapital: Decimal | null;
  readonly copyExisting: boolean;
  readonly resumedSequence: string;
  readonly drift: readonly LotDrift[];
}

/**
 * Starts a copier. The caller has locked it and its account. Returns the drift; empty if `resync` is set, because the
 * missed amounts are then sold.
 */
export async function startFollowing(
  tx: Tx,
  copier: CopierToStart,
  { resync, copy_existing = copier.copyExisting }: CopierStart,
  bookMids: BookMids,
): Promise<readonly LotDrift[]> {
  const strategyId = copier.strategyId!;
  const sequence = await lockLastSequence(tx, strategyId);
  const wasPaused = copier.status === 'PAUSED';
  const missedUntil = wasPaused ? sequence : Number(copier.resumedSequence);
  await resetPeakAfterDrawdown(tx, copier);
  const drift = resync === undefined ? await driftAtStart(tx, copier, missedUntil) : [];
  await markStarted(tx, copier.id, sequence, drift);
  if (resync !== undefined) await reopenExits(tx, copier, missedUntil);
  if (copy_existing) await copyExisting(tx, copier, strategyId, sequence, bookMids);
  return drift;
}

/** Returns the drift that a start reports. That of a copier that was not paused is unchanged. */
async function driftAtStart(tx: Tx, copier: CopierToStart, until: number): Promise<readonly LotDrift[]> {
  if (copier.status !== 'PAUSED') return copier.drift;
  return shownDrift(await missedExits(tx, copier.id, copier.strategyId!, until));
}

/** Makes an active copier sell what it would have sold if it had not been paused. */
export async function resyncExits(tx: Tx, copier: CopierToStart): Promise<void> {
  const until = Number(copier.resumedSequence);
  await reopenExits(tx, copier, until);
  await queryPrepared(
    tx,
    "UPDATE copiers SET drift = '[]', updated_at = clock_timestamp() WHERE id = $1 AND drift <> '[]'",
    [copier.id],
  );
}

/**
 * Returns an error if the account does not meet the strategy's minimum equity, or if its equity is unknown. The equity
 * may be in another quote currency that counts as the same.
 */
export async function checkMinCopyEquity(
  tx: Tx,
  strategyId: string,
  accountId: string,
  quoteAliases: QuoteAliases,
): Promise<DomainError | undefined> {
  const [strategy] = await queryPrepared<{ minimum: Decimal | null; quote: string }>(
    tx,
    `SELECT s.min_copy_equity AS minimum, coalesce(
       (SELECT p.quote FROM trade_pairs p WHERE p.id = s.trade_pair_ids[1]), 'USDT') AS quote
     FROM strategies s WHERE s.id = $1`,
    [strategyId],
  );
  const { minimum, quote } = strategy!;
  if (minimum === null) return undefined;
  let equity: Equity | null = null;
  for (const alias of [quote, ...aliasesOf(quote, quoteAliases)]) {
    equity ??= (await equitiesOf(tx, [accountId], alias)).get(accountId) ?? null;
  }
  if (equity === null) {
    return invalidState(
      `The strategy requires an equity of at least ${canonicalDecimal(minimum)} ${quote}; the account's equity is unknown. Sync the account first.`,
      'EQUITY_UNKNOWN',
    );
  }
  if (new BigDecimal(equity.amount).gte(minimum)) return undefined;
  return invalidState(
    `The strategy requires an equity of at least ${canonicalDecimal(minimum)} ${quote}; the account holds ${equity.amount}.`,
    'BELOW_MIN_COPY_EQUITY',
  );
}

/** Locks and returns the strategy's last sequence. Until the transaction ends, the strategy cannot emit a signal. */
async function lockLastSequence(tx: Tx, strategyId: string): Promise<number> {
  await queryPrepared(
    tx,
    'INSERT INTO strategy_sequences (strategy_id, last_sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
    [strategyId],
  );
  const [row] = await queryPrepared<{ last_sequence: string }>(
    tx,
    'SELECT last_sequence FROM strategy_sequences WHERE strategy_id = $1 FOR SHARE',
    [strategyId],
  );
  return Number(row!.last_sequence);
}

/**
 * Returns, for each lot of the copier, the amount that it would have sold if it had followed the exits, in whole steps.
 */
function driftOf(missed: readonly MissedExit[]): LotDrift[] {
  return [...groupBy(missed, ({ lotTradeId }) => lotTradeId)].flatMap(([lotTradeId, exits]) => {
    const { symbol, heldAmount, amountStep } = exits[0]!;
    // One order may have sold amounts of several abandoned exits, so only their sum is exact.
    const abandoned = exits.reduce(
      (sum, { abandonedAmount }) => sum.plus(abandonedAmount ?? 0),
      new BigDecimal(0),
    );
    const remaining = exits.reduce(
      (held, { abandonedAmount, exitAmount, lotAmountBefore }) =>
        abandonedAmount === null
          ? held.times(new BigDecimal(lotAmountBefore).minus(exitAmount)).div(lotAmountBefore)
          : held,
      BigDecimal.max(0, new BigDecimal(heldAmount).minus(BigDecimal.max(0, abandoned))),
    );
    const isClosed = exits.some(({ kind }) => kind === 'CLOSE');
    const held = new BigDecimal(heldAmount);
    const excess = isClosed ? held : floorToStep(held.minus(remaining), amountStep);
    if (!excess.gt(0)) return [];
    return [
      { symbol, lotTradeId, heldAmount: canonicalDecimal(heldAmount), excessAmount: excess.toString() },
    ];
  });
}

/**
 * Returns the drift as the copier's user may know it. Of another user's strategy, it is computed from the fractions that the
 * signals show: a user who sells by hand, and reads the drift again and again, could compute an exact one from it.
 */
const shownDrift = (missed: readonly MissedExit[]): LotDrift[] =>
  driftOf(missed.map((exit) => (exit.isOwn ? exit : maskedExit(exit))));

const maskedExit = (exit: MissedExit): MissedExit => ({
  ...exit,
  exitAmount: soldShareOf(exit),
  lotAmountBefore: '1',
  abandonedAmount: exit.maskedAbandoned,
});

/**
 * Makes the copier owe the amount of each lot that it missed to sell, and reopens its decision on the last missed exit of the
 * lot, so that settlement sells the amount.
 */
async function reopenExits(tx: Tx, copier: CopierToStart, until: number): Promise<void> {
  const missed = await missedExits(tx, copier.id, copier.strategyId!, until);
  const drift = driftOf(missed);
  if (drift.length === 0) return;
  const now = await databaseNow(tx);
  for (const { lotTradeId, excessAmount } of drift) {
    const last = missed.findLast((exit) => exit.lotTradeId === lotTradeId);
    if (last === undefined) continue;
    const [signal] = await signalsAfter(tx, copier.strategyId!, last.sequence - 1, 1);
    await reopenExit(tx, signal!, copier, excessAmount, now);
  }
}

/**
 * Copies the strategy's open lots that have a signal up to the sequence `until`, at their last prices. Each lot gets a
 * decision on its last signal, which replaces an earlier decision without an order. The last signal may be an exit; the
 * decision is an entry.
 */
async function copyExisting(
  tx: Tx,
  copier: CopierToStart,
  strategyId: string,
  until: number,
  bookMids: BookMids,
): Promise<void> {
  const now = await databaseNow(tx);
  const lots = await openLeaderLots(tx, strategyId, copier.id, until);
  await forgetCopiedLots(
    tx,
    copier.id,
    lots.map(({ lotTradeId }) => lotTradeId),
  );
  for (const lot of lots) {
    const [last] = await signalsAfter(tx, strategyId, lot.lastSequence - 1, 1);
    const signal: Signal = {
      ...last!,
      kind: 'OPEN',
      side: lot.side,
      referencePrice: lot.lastPrice ?? last!.referencePrice,
      leaderEquity: await leaderEquity(tx, last!, now),
      lotOrderAmount: lot.amount,
      filledAmount: lot.amount,
      cumulativeAmount: lot.amount,
      signalAt: now,
      emittedAt: now,
    };
    const plannedSignal = { ...plannedSignalOf(signal), copiesExisting: true };
    const planned = await planCopies(tx, signal, [copier.id], {
      now,
      plannedSignal,
      bookMids,
      ignoresPause: true,
    });
    await storePlans(tx, signal, planned, now, { replaced: 'WITHOUT_ORDER' });
  }
}

/**
 * Returns the leader's equity; null if it is unknown or more than 60 s old. A lot that is copied at a start is sized by
 * this equity, not by the equity at its signal.
 */
async function leaderEquity(tx: Tx, signal: Signal, now: Date): Promise<Decimal | null> {
  const { exchangeAccountId, symbol } = signal;
  const known = await equitiesOf(tx, [exchangeAccountId], assetsOfSymbol(symbol).quote);
  const equity = known.get(exchangeAccountId) ?? null;
  if (equity === null || equity.takenAt.getTime() < now.getTime() - EQUITY_AGE_MAX_MS) return null;
  return equity.amount;
}
