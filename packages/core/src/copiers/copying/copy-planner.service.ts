/**
 * Turns signals into decisions and orders.
 *
 * 1. Every copier that follows a strategy gets exactly one decision for each signal. Decision, order and lot state are
 *    written in one transaction. A signal is complete once every copier has a decision on it.
 * 2. One worker at a time plans a strategy, signal by signal. The copiers of a signal are planned in batches. Batches
 *    that share no account run concurrently. A crash leaves a batch either decided or untouched; the next run plans the
 *    untouched batches. If two workers plan one copier at once, the second waits for the account's lock and then finds
 *    the decision.
 * 3. The order of the copiers differs for each signal, so that none is always last. Copiers of one account see what
 *    copiers before them reserved.
 * 4. The price of an entry is compared with the order book of each exchange involved, read once for each signal.
 * 5. A copier that cannot be planned fails alone: it delays neither other copiers nor later signals.
 * 6. A batch's transaction locks its accounts and copiers. Transactions that place orders on these accounts, or stop
 *    these copiers, wait for it.
 */
import { assetsOfSymbol, type Decimal } from '@trading-automation/contracts';
import { inTransaction, type Tx, tryTransactionLock } from '@trading-automation/persistence';
import pLimit from 'p-limit';
import type { Platform } from '../../platform/index.js';
import { type Signal, signalsAfter } from '../../strategies/index.js';
import { equitiesOf } from '../../trade-pairs/index.js';
import { accountsWithUnconfirmedSales, loadUncoveredBalances } from '../../trades/index.js';
import type { PlannedSignal } from '../planning/plan.types.js';
import { plannedSignalOf } from '../planning/planned-signal.js';
import {
  type CopierRow,
  copierRows,
  databaseNow,
  holdingsOf,
  lockForCopying,
  NOTHING_HELD,
} from './copy-inputs.queries.js';
import { isDeterministicFailure } from './deterministic-failure.js';
import { groupBy } from './group-by.js';
import { perpetualExposures } from './perpetual-accounts.queries.js';
import { type BookMids, bookKey, isExit, type PlannedCopy, planBatch } from './plan-batch.js';
import {
  type DueCopier,
  dueCopiers,
  filterUndecided,
  finishSignal,
  lastPlannedSequence,
  pairsOfCopiers,
  staleEquityAccounts,
  strategiesWithUnplannedSignals,
} from './planning-progress.queries.js';
import { accountsShortOfExit } from './short-exits.queries.js';
import { type StoringStep, storeFailedCopy, storePlans } from './store-plans.js';

/** The maximum age of a balance snapshot; with an older snapshot the equity counts as unknown. */
export const EQUITY_AGE_MAX_MS = 60_000;
/** The maximum number of copiers in a batch. */
const BATCH_MAX = 250;
/** The number of batches planned concurrently, so that this process computes while the database works. */
const BATCH_CONCURRENCY = 4;
/** Up to this number of due copiers is planned as one group, because smaller groups cost more than they save. */
const BATCH_MIN = 100;
/** The number of strategies planned concurrently, because one strategy may wait for an exchange. */
const STRATEGY_CONCURRENCY = 3;
/**
 * The minimum delay between two balance requests for an account, so that a slow exchange does not delay every signal.
 */
const REFRESH_INTERVAL_MIN_MS = 10_000;
/**
 * The maximum number of signals of one strategy that are planned in a run. With the strategies of a user in a run, it
 * bounds how many signals of one user delay the signals of others.
 */
export const SIGNALS_PER_RUN_MAX = 20;

/**
 * Returns the middle between the best prices of a pair's order book, at most 2 s old. Returns null, after 3 s at the
 * latest, if the book is unknown or one side has no orders.
 */
export type BookMidReader = (exchange: string, symbol: string) => Promise<Decimal | null>;

/** What was read for the entry with this sequence, before its transaction. */
interface PreparedSignal {
  readonly sequence: number;
  readonly bookMids: BookMids;
  /** By the monotonic clock. */
  readonly readAtMs: number;
}

const NOTHING_PREPARED: PreparedSignal = { sequence: 0, bookMids: new Map(), readAtMs: 0 };
/** The maximum age of an order book while the copiers of a signal are planned; then it is read again. */
const BOOK_AGE_MAX_MS = 2_000;

export interface CopyPlannerOptions {
  /**
   * Refreshes as many of the accounts' balances as possible within a few seconds. Returns the accounts whose balances it
   * did not request.
   */
  readonly refreshBalances?: (accountIds: readonly string[]) => Promise<readonly string[]>;
  readonly batchMax?: number;
  /** Called after each step of a batch, within its transaction. An error rolls the batch back. */
  readonly onStep?: (step: PlanningStep) => void | Promise<void>;
}
export type PlanningStep = 'locked' | 'planned' | StoringStep | 'finished';

export class CopyPlanner {
  /** When the balances of each account were last requested, by the monotonic clock. */
  private readonly lastRefreshAtMs = new Map<string, number>();

  constructor(
    private readonly platform: Platform,
    private readonly readBookMid: BookMidReader,
    private readonly options: CopyPlannerOptions = {},
  ) {}

  /**
   * Plans pending signals, up to a maximum per strategy. Returns the number of completed steps, each of which plans up
   * to 1,000 copiers of one signal. Returns 0 if no signal is pending, or if other workers plan all pending signals.
   * A strategy that waits for balances or fails does not delay the others; its error is thrown once they are planned.
   */
  async planNext(): Promise<number> {
    const waiting = await strategiesWithUnplannedSignals(this.platform.database.manager);
    const failures: unknown[] = [];
    const steps = await pLimit(STRATEGY_CONCURRENCY).map(waiting, (id) =>
      this.planStrategy(id).catch((error: unknown) => {
        failures.push(error);
        return 0;
      }),
    );
    if (failures.length > 0) throw failures[0];
    return steps.reduce((sum, planned) => sum + planned, 0);
  }

  /** Plans pending signals of one strategy, as `planNext` does. */
  async planStrategy(strategyId: string): Promise<number> {
    let steps = 0;
    let prepared = NOTHING_PREPARED;
    while (steps < SIGNALS_PER_RUN_MAX) {
      prepared = await this.prepareSignal(strategyId, prepared);
      if (!(await this.planNextSignal(strategyId, prepared))) break;
      steps++;
    }
    return steps;
  }

  /** Plans some copiers of the next signal. Returns false if no signal is left, or if another worker plans it. */
  private async planNextSignal(strategyId: string, prepared: PreparedSignal): Promise<boolean> {
    const { batchMax = BATCH_MAX } = this.options;
    return inTransaction(this.platform.database, async (tx) => {
      if (!(await tryTransactionLock(tx, `copy planning ${strategyId}`))) return false;
      const [signal] = await signalsAfter(tx, strategyId, await lastPlannedSequence(tx, strategyId), 1);
      if (signal === undefined) return false;
      // Another worker has planned the prepared entry meanwhile, so this one must be prepared first.
      if (!isExit(signal) && signal.sequence !== prepared.sequence) return true;
      const due = await dueCopiers(tx, signal, batchMax * BATCH_CONCURRENCY);
      await this.planBatches({ signal, bookMids: prepared.bookMids }, due, batchMax);
      if (due.length < batchMax * BATCH_CONCURRENCY) await finishSignal(tx, signal);
      await this.options.onStep?.('finished');
      return true;
    });
  }

  /** Plans each batch in its own transaction. Returns after all batches have ended. */
  private async planBatches(
    market: SignalAtMarket,
    due: readonly DueCopier[],
    batchMax: number,
  ): Promise<void> {
    const failures: unknown[] = [];
    const planGroup = async (group: readonly DueCopier[]) => {
      for (let start = 0; start < group.length; start += batchMax) {
        const batch = group.slice(start, start + batchMax);
        await this.planBatchIsolated(market, batch).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(partitionByAccount(due).map(planGroup));
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Plans a batch in its own transaction. A copier whose numbers cause a deterministic failure does not delay the
   * others: its copy is recorded as failed, and then its error is thrown.
   */
  private async planBatchIsolated(market: SignalAtMarket, batch: readonly DueCopier[]): Promise<void> {
    const { database } = this.platform;
    try {
      await inTransaction(database, (tx) => this.planInTransaction(tx, market, batch));
    } catch (error) {
      if (!isDeterministicFailure(error)) throw error;
      const [only] = batch;
      if (only !== undefined && batch.length === 1) {
        await inTransaction(database, (tx) => recordFailedCopy(tx, market.signal, only));
        throw error;
      }
      const middle = Math.floor(batch.length / 2);
      const halves = [batch.slice(0, middle), batch.slice(middle)];
      const ended = await Promise.allSettled(halves.map((half) => this.planBatchIsolated(market, half)));
      for (const half of ended) if (half.status === 'rejected') throw half.reason;
    }
  }

  private async planInTransaction(
    tx: Tx,
    { signal, bookMids }: SignalAtMarket,
    due: readonly DueCopier[],
  ): Promise<void> {
    await lockForCopying(
      tx,
      due.map(({ accountId }) => accountId),
      due.map(({ id }) => id),
    );
    const ids = await filterUndecided(
      tx,
      signal,
      due.map(({ id }) => id),
    );
    await this.options.onStep?.('locked');
    const now = await databaseNow(tx);
    const planned = await planCopies(tx, signal, ids, { now, bookMids });
    await this.options.onStep?.('planned');
    await storePlans(tx, signal, planned, now, this.options);
  }

  /**
   * Reads what the next signal needs, unless that is done: for an entry the order books and the equities, for an exit the
   * balances that seem too small. This happens before the signal's transaction, which must not wait for an exchange.
   */
  private async prepareSignal(strategyId: string, prepared: PreparedSignal): Promise<PreparedSignal> {
    const tx = this.platform.database.manager;
    const [signal] = await signalsAfter(tx, strategyId, await lastPlannedSequence(tx, strategyId), 1);
    if (signal === undefined) return prepared;
    const isPrepared = signal.sequence === prepared.sequence;
    if (isExit(signal)) {
      if (isPrepared) return prepared;
      await this.refresh(await accountsShortOfExit(tx, signal));
      return { sequence: signal.sequence, bookMids: new Map(), readAtMs: performance.now() };
    }
    if (isPrepared && performance.now() - prepared.readAtMs < BOOK_AGE_MAX_MS) return prepared;
    const [bookMids] = await Promise.all([
      this.readBookMids(signal),
      isPrepared
        ? undefined
        : staleEquityAccounts(tx, signal, EQUITY_AGE_MAX_MS).then((ids) => this.refresh(ids)),
    ]);
    return { sequence: signal.sequence, bookMids, readAtMs: performance.now() };
  }

  private async readBookMids(signal: Signal): Promise<BookMids> {
    const pairs = await pairsOfCopiers(this.platform.database.manager, signal);
    return new Map(
      await Promise.all(
        pairs.map(
          async (pair) => [bookKey(pair), await this.readBookMid(pair.exchange, pair.symbol)] as const,
        ),
      ),
    );
  }

  private async refresh(accountIds: readonly string[]): Promise<void> {
    const { refreshBalances } = this.options;
    if (refreshBalances === undefined) return;
    const stale = this.withoutRecentRefresh(accountIds);
    if (stale.length === 0) return;
    for (const id of await refreshBalances(stale)) this.lastRefreshAtMs.delete(id);
  }

  /** Returns the accounts without a balance request in the last 10 s, and notes that the caller requests theirs now. */
  private withoutRecentRefresh(accountIds: readonly string[]): string[] {
    const now = performance.now();
    for (const [id, atMs] of this.lastRefreshAtMs) {
      if (now - atMs < REFRESH_INTERVAL_MIN_MS) break;
      this.lastRefreshAtMs.delete(id);
    }
    const due = accountIds.filter((id) => !this.lastRefreshAtMs.has(id));
    for (const id of due) this.lastRefreshAtMs.set(id, now);
    return due;
  }
}

/** A signal, with the order books that were read for it. */
interface SignalAtMarket {
  readonly signal: Signal;
  readonly bookMids: BookMids;
}

/**
 * Partitions the copiers, in their order. All copiers of an account are in one group, so that no group waits for the
 * locks of another.
 */
function partitionByAccount(due: readonly DueCopier[]): DueCopier[][] {
  if (due.length <= BATCH_MIN) return [[...due]];
  const groups = Array.from({ length: BATCH_CONCURRENCY }, (): DueCopier[] => []);
  for (const copier of due)
    groups[Number.parseInt(copier.accountId.slice(-4), 16) % BATCH_CONCURRENCY]!.push(copier);
  return groups;
}

async function recordFailedCopy(tx: Tx, signal: Signal, { id, accountId }: DueCopier): Promise<void> {
  await lockForCopying(tx, [accountId], [id]);
  const [copierId] = await filterUndecided(tx, signal, [id]);
  if (copierId !== undefined) await storeFailedCopy(tx, signal, copierId, await databaseNow(tx));
}

interface PlanOptions {
  readonly now: Date;
  /** Default: none is known. Entries are then skipped. */
  readonly bookMids?: BookMids;
  /** The signal as input to `planCopy`. Default: the fields of the stored signal. */
  readonly plannedSignal?: PlannedSignal;
  /** Whether to plan the signal even if it was emitted while the copier was paused. */
  readonly ignoresPause?: boolean;
}

/** Plans the signal for each copier; returns the plans in input order. */
export async function planCopies(
  tx: Tx,
  signal: Signal,
  ids: readonly string[],
  { now, bookMids = new Map(), plannedSignal = plannedSignalOf(signal), ignoresPause = false }: PlanOptions,
): Promise<PlannedCopy[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await copierRows(tx, ids, signal)).map((row) => [row.id, row]));
  const copiers = ids.map((id) => rows.get(id)!);
  const day = now.toISOString().slice(0, 10);
  const { lotTradeId, sequence, sourceTradeId } = signal;
  const leaderAssets = assetsOfSymbol(signal.symbol);
  const assetsOf = ({ pair }: CopierRow) => pair ?? leaderAssets;
  const byQuote = copiers.map((copier) => ({ id: copier.id, quote: assetsOf(copier).quote }));
  const holdings = await holdingsOf(tx, byQuote, { lotTradeId, sequence, sourceTradeId, day });
  // Read before the balances: a sale that is confirmed between the two is then still in doubt.
  const understated = isExit(signal)
    ? await understatedBalances(
        tx,
        groupBy(copiers, (copier) => assetsOf(copier).base),
      )
    : new Set<string>();
  const free = await loadUncoveredBalances(tx, accountsOf(copiers), [
    ...new Set(copiers.flatMap((copier) => [assetsOf(copier).base, assetsOf(copier).quote])),
  ]);
  const exposures = await perpetualExposures(
    tx,
    copiers.flatMap(({ accountId, pair }) =>
      pair?.tradingType === 'perpetual' ? [{ accountId, pairId: pair.id }] : [],
    ),
    sourceTradeId,
  );
  const equities = await freshEquities(
    tx,
    groupBy(copiers, (copier) => assetsOf(copier).quote),
    now,
  );
  const candidates = copiers.map((copier) => ({
    copier,
    holdings: holdings.get(copier.id) ?? NOTHING_HELD,
    equity: equities.get(`${copier.accountId} ${assetsOf(copier).quote}`) ?? null,
  }));
  return planBatch(candidates, {
    signal: plannedSignal,
    now,
    free,
    exposures,
    understated,
    bookMids,
    ignoresPause,
  });
}

const accountsOf = (copiers: readonly CopierRow[]) => [...new Set(copiers.map(({ accountId }) => accountId))];

/** Returns the balances that may be understated, as `<account> <asset>`. */
async function understatedBalances(
  tx: Tx,
  byBase: ReadonlyMap<string, readonly CopierRow[]>,
): Promise<ReadonlySet<string>> {
  const understated = new Set<string>();
  for (const [base, copiers] of byBase) {
    for (const id of await accountsWithUnconfirmedSales(tx, accountsOf(copiers), base))
      understated.add(`${id} ${base}`);
  }
  return understated;
}

/** Returns the recent equities, by `<account> <quote currency>`. */
async function freshEquities(
  tx: Tx,
  byQuote: ReadonlyMap<string, readonly CopierRow[]>,
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const oldest = now.getTime() - EQUITY_AGE_MAX_MS;
  const fresh = new Map<string, string>();
  for (const [quote, copiers] of byQuote) {
    const sizedByEquity = copiers.filter(
      ({ sizingMode, maxDrawdownPercent, maxLeverage, lotTerms }) =>
        sizingMode === 'EQUITY_RATIO' ||
        maxDrawdownPercent !== null ||
        (lotTerms?.maxLeverage ?? maxLeverage) != null,
    );
    for (const [id, equity] of await equitiesOf(tx, accountsOf(sizedByEquity), quote)) {
      if (equity !== null && equity.takenAt.getTime() >= oldest) fresh.set(`${id} ${quote}`, equity.amount);
    }
  }
  return fresh;
}
