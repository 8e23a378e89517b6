/**
 * Turns signals into decisions and orders.
 *
 * 1. Every copier that follows a strategy gets exactly one decision for each of its signals: decision, order and what
 *    is kept of the lot are one transaction, and a signal is done with once no copier lacks a decision on it.
 * 2. The signals of a strategy are planned one after the other, by one worker at a time; the copiers of a signal in
 *    chunks, some of them side by side that share no account. A crash leaves a chunk either decided or not; the next turn
 *    takes those that are not. Should two ever plan one copier at once, the second waits for its account and then finds
 *    it decided.
 * 3. Copiers stand in another order for each signal; those of one account see what others before them reserved.
 * 4. A copier that can't be planned fails by itself: it holds up neither the others nor the signals that follow.
 * 5. Whoever places an order on an account, or stops a copier, waits for the chunk, and is waited for by it.
 */
import { inTransaction, type Tx } from '@trading-automation/persistence';
import type { Platform } from '../../platform/index.js';
import { type Signal, signalsAfter } from '../../strategies/index.js';
import { equitiesOf } from '../../trade-pairs/index.js';
import { loadFreeBalances } from '../../trades/index.js';
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
import { isExit, type PlannedCopy, planBatch } from './plan-batch.js';
import {
  type DueCopier,
  dueCopiers,
  filterUndecided,
  finishSignal,
  lastPlannedSequence,
  staleEquityAccounts,
  strategiesWithUnplannedSignals,
  tryLockStrategy,
} from './planning-progress.queries.js';
import { type StoringStep, storeFailedCopy, storePlans } from './store-plans.js';

/** A snapshot that is older says nothing (rule 6). */
export const EQUITY_AGE_MAX_MS = 60_000;
const CHUNK_MAX = 250;
/** While the database works on some chunks, this process works on another. */
const CHUNK_CONCURRENCY = 4;
/** Below it, chunks cost more than they save. */
const CHUNK_MIN = 100;
/** One of them may wait for an exchange. */
const STRATEGIES_AT_ONCE = 3;
/** How soon after a try balances are asked for again: an exchange that does not answer is not waited for at each signal. */
const REFRESHED_EVERY_MS = 10_000;
/** Signals of one strategy before others have their turn. */
const SIGNALS_PER_RUN_MAX = 100;

export interface CopyPlannerOptions {
  /** Has the balances of accounts read anew, as far as that works within a few seconds. */
  readonly refreshBalances?: (accountIds: readonly string[]) => Promise<void>;
  readonly chunkMax?: number;
  /** Told after each step of a chunk, within its transaction; what it throws undoes the chunk. */
  readonly onStep?: (step: PlanningStep) => void | Promise<void>;
}
export type PlanningStep = 'locked' | 'planned' | StoringStep | 'finished';

export class CopyPlanner {
  /** By account, when its balances were asked for; by the monotonic clock. */
  private readonly lastRefreshAtMs = new Map<string, number>();

  constructor(
    private readonly platform: Platform,
    private readonly options: CopyPlannerOptions = {},
  ) {}

  /**
   * Plans what waits, of each strategy some. Answers how many steps it got on; 0: nothing waits, or others are at it.
   * One strategy that waits for balances or can't be planned holds up no other: it fails once all had their turn.
   */
  async planNext(): Promise<number> {
    const waiting = await strategiesWithUnplannedSignals(this.platform.database.manager);
    const failures: unknown[] = [];
    let steps = 0;
    const lane = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const planned = await this.planStrategy(id).catch((error: unknown) => {
          failures.push(error);
          return 0;
        });
        steps += planned;
      }
    };
    await Promise.all(Array.from({ length: STRATEGIES_AT_ONCE }, lane));
    if (failures.length > 0) throw failures[0];
    return steps;
  }

  /** As `planNext`, of this strategy. */
  async planStrategy(strategyId: string): Promise<number> {
    let steps = 0;
    let refreshed = 0;
    while (steps < SIGNALS_PER_RUN_MAX) {
      refreshed = await this.refreshEquities(strategyId, refreshed);
      if (!(await this.planNextSignal(strategyId))) break;
      steps++;
    }
    return steps;
  }

  /** Some of the copiers of the next signal. False where there is nothing to plan, or somebody else does. */
  private async planNextSignal(strategyId: string): Promise<boolean> {
    const { chunkMax = CHUNK_MAX } = this.options;
    return inTransaction(this.platform.database, async (tx) => {
      if (!(await tryLockStrategy(tx, strategyId))) return false;
      const [signal] = await signalsAfter(tx, strategyId, await lastPlannedSequence(tx, strategyId), 1);
      if (signal === undefined) return false;
      const due = await dueCopiers(tx, signal, chunkMax * CHUNK_CONCURRENCY);
      await this.planChunks(signal, due, chunkMax);
      if (due.length < chunkMax * CHUNK_CONCURRENCY) await finishSignal(tx, signal);
      await this.options.onStep?.('finished');
      return true;
    });
  }

  /** Each chunk is a transaction of its own; all have ended when it returns. */
  private async planChunks(signal: Signal, due: readonly DueCopier[], chunkMax: number): Promise<void> {
    const failures: unknown[] = [];
    const work = async (lane: readonly DueCopier[]) => {
      for (let place = 0; place < lane.length; place += chunkMax) {
        const chunk = lane.slice(place, place + chunkMax);
        await this.planChunkIsolated(signal, chunk).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(partitionByAccount(due).map(work));
    if (failures.length > 0) throw failures[0];
  }

  /**
   * As `planChunk`, in a transaction of its own. A copier whose own numbers can't be worked with holds up nobody else:
   * it is decided that its copy failed, and then its error is thrown.
   */
  private async planChunkIsolated(signal: Signal, chunk: readonly DueCopier[]): Promise<void> {
    const { database } = this.platform;
    try {
      await inTransaction(database, (tx) => this.planChunk(tx, signal, chunk));
    } catch (error) {
      if (!isDeterministicFailure(error)) throw error;
      const [only] = chunk;
      if (only !== undefined && chunk.length === 1) {
        await inTransaction(database, (tx) => recordFailedCopy(tx, signal, only));
        throw error;
      }
      const middle = Math.floor(chunk.length / 2);
      const halves = [chunk.slice(0, middle), chunk.slice(middle)];
      const ended = await Promise.allSettled(halves.map((half) => this.planChunkIsolated(signal, half)));
      for (const half of ended) if (half.status === 'rejected') throw half.reason;
    }
  }

  private async planChunk(tx: Tx, signal: Signal, due: readonly DueCopier[]): Promise<void> {
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
    const planned = await planCopies(tx, signal, ids, { now });
    await this.options.onStep?.('planned');
    await storePlans(tx, signal, planned, now, this.options.onStep);
  }

  /** Before the transaction, which must not wait for an exchange: once for a signal. */
  private async refreshEquities(strategyId: string, refreshed: number): Promise<number> {
    const { refreshBalances } = this.options;
    if (refreshBalances === undefined) return refreshed;
    const tx = this.platform.database.manager;
    const [signal] = await signalsAfter(tx, strategyId, await lastPlannedSequence(tx, strategyId), 1);
    if (signal === undefined || signal.sequence === refreshed || isExit(signal)) return refreshed;
    const stale = this.withoutRecentRefresh(await staleEquityAccounts(tx, signal, EQUITY_AGE_MAX_MS));
    if (stale.length > 0) await refreshBalances(stale);
    return signal.sequence;
  }

  /** Of these, those whose balances were not asked for just now; they are from here on. */
  private withoutRecentRefresh(accountIds: readonly string[]): string[] {
    const now = performance.now();
    for (const [id, atMs] of this.lastRefreshAtMs) {
      if (now - atMs < REFRESHED_EVERY_MS) break;
      this.lastRefreshAtMs.delete(id);
    }
    const due = accountIds.filter((id) => !this.lastRefreshAtMs.has(id));
    for (const id of due) this.lastRefreshAtMs.set(id, now);
    return due;
  }
}

/** In their order; those of one account in one lane, so that no lane waits for the other's locks. */
function partitionByAccount(due: readonly DueCopier[]): DueCopier[][] {
  if (due.length <= CHUNK_MIN) return [[...due]];
  const lanes = Array.from({ length: CHUNK_CONCURRENCY }, (): DueCopier[] => []);
  for (const copier of due)
    lanes[Number.parseInt(copier.accountId.slice(-4), 16) % CHUNK_CONCURRENCY]!.push(copier);
  return lanes;
}

async function recordFailedCopy(tx: Tx, signal: Signal, { id, accountId }: DueCopier): Promise<void> {
  await lockForCopying(tx, [accountId], [id]);
  const [copierId] = await filterUndecided(tx, signal, [id]);
  if (copierId !== undefined) await storeFailedCopy(tx, signal, copierId, await databaseNow(tx));
}

interface PlanOptions {
  readonly now: Date;
  /** How the planning is shown the signal; as it is, unless given. */
  readonly plannedAs?: PlannedSignal;
  /** Whether it is made up for: that the copier was paused when it was given does not matter then. */
  readonly ignoresPause?: boolean;
}

/** What the copiers do about the signal, in the order given. */
export async function planCopies(
  tx: Tx,
  signal: Signal,
  ids: readonly string[],
  { now, plannedAs = plannedSignalOf(signal), ignoresPause = false }: PlanOptions,
): Promise<PlannedCopy[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await copierRows(tx, ids, signal)).map((row) => [row.id, row]));
  const copiers = ids.map((id) => rows.get(id)!);
  const [base, quote] = assetsOf(signal.symbol);
  const day = now.toISOString().slice(0, 10);
  const { lotTradeId, sequence } = signal;
  const holdings = await holdingsOf(tx, ids, { lotTradeId, sequence, quote, day });
  const accountIds = [...new Set(copiers.map(({ accountId }) => accountId))];
  const free = await loadFreeBalances(tx, accountIds, [base, quote]);
  const equities = await freshEquities(tx, copiers, quote, now);
  const candidates = copiers.map((copier) => ({
    copier,
    holdings: holdings.get(copier.id) ?? NOTHING_HELD,
    equity: equities.get(copier.accountId) ?? null,
  }));
  return planBatch(candidates, { signal: plannedAs, now, free, ignoresPause: ignoresPause });
}

/** `BASE/QUOTE`, and `BASE/QUOTE:SETTLE` of what settles elsewhere. */
export function assetsOf(symbol: string): readonly [base: string, quote: string] {
  const [base = '', rest = ''] = symbol.split('/');
  return [base, rest.split(':')[0] ?? ''];
}

async function freshEquities(
  tx: Tx,
  copiers: readonly CopierRow[],
  quote: string,
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const asking = copiers.filter(
    ({ sizingMode, maxDrawdownPercent }) => sizingMode === 'EQUITY_RATIO' || maxDrawdownPercent !== null,
  );
  const known = await equitiesOf(tx, [...new Set(asking.map(({ accountId }) => accountId))], quote);
  const oldest = now.getTime() - EQUITY_AGE_MAX_MS;
  return new Map(
    [...known].flatMap(([id, equity]) =>
      equity !== null && equity.takenAt.getTime() >= oldest ? [[id, equity.amount] as const] : [],
    ),
  );
}
