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
import { freeOf } from '../../trades/index.js';
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
import { type StoringStep, storeFailure, storePlans } from './copy-store.service.js';
import { isExit, type PlannedCopy, planInTurn } from './plan-in-turn.js';
import {
  type DueCopier,
  dueCopiers,
  finishSignal,
  nextSequence,
  staleEquityAccounts,
  strategiesWithWork,
  tryLockStrategy,
  undecided,
} from './planning-progress.queries.js';
import { isOfItsNumbers } from './unworkable-numbers.js';

/** A snapshot that is older says nothing (rule 6). */
export const EQUITY_AGE_MAX_MS = 60_000;
const CHUNK_MAX = 250;
/** While the database works on some chunks, this process works on another. */
const LANES = 4;
/** Below it, chunks cost more than they save. */
const CHUNK_MIN = 100;
/** One of them may wait for an exchange. */
const STRATEGIES_AT_ONCE = 3;
/** How soon after a try balances are asked for again: an exchange that does not answer is not waited for at each signal. */
const REFRESHED_EVERY_MS = 10_000;
/** Signals of one strategy before others have their turn. */
const TURNS_MAX = 100;

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
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly platform: Platform,
    private readonly options: CopyPlannerOptions = {},
  ) {}

  /**
   * Plans what waits, of each strategy some. Answers how many steps it got on; 0: nothing waits, or others are at it.
   * One strategy that waits for balances or can't be planned holds up no other: it fails once all had their turn.
   */
  async planNext(): Promise<number> {
    const waiting = await strategiesWithWork(this.platform.database.manager);
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
    while (steps < TURNS_MAX) {
      refreshed = await this.refreshEquities(strategyId, refreshed);
      if (!(await this.takeTurn(strategyId))) break;
      steps++;
    }
    return steps;
  }

  /** Some of the copiers of the next signal. False where there is nothing to plan, or somebody else does. */
  private async takeTurn(strategyId: string): Promise<boolean> {
    const { chunkMax = CHUNK_MAX } = this.options;
    return inTransaction(this.platform.database, async (tx) => {
      if (!(await tryLockStrategy(tx, strategyId))) return false;
      const [signal] = await signalsAfter(tx, strategyId, await nextSequence(tx, strategyId), 1);
      if (signal === undefined) return false;
      const due = await dueCopiers(tx, signal, chunkMax * LANES);
      await this.planChunks(signal, due, chunkMax);
      if (due.length < chunkMax * LANES) await finishSignal(tx, signal);
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
        await this.planApart(signal, chunk).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(lanesOf(due).map(work));
    if (failures.length > 0) throw failures[0];
  }

  /**
   * As `planChunk`, in a transaction of its own. A copier whose own numbers can't be worked with holds up nobody else:
   * it is decided that its copy failed, and then its error is thrown.
   */
  private async planApart(signal: Signal, chunk: readonly DueCopier[]): Promise<void> {
    const { database } = this.platform;
    try {
      await inTransaction(database, (tx) => this.planChunk(tx, signal, chunk));
    } catch (error) {
      if (!isOfItsNumbers(error)) throw error;
      const [only] = chunk;
      if (only !== undefined && chunk.length === 1) {
        await inTransaction(database, (tx) => giveUp(tx, signal, only));
        throw error;
      }
      const middle = Math.floor(chunk.length / 2);
      const halves = [chunk.slice(0, middle), chunk.slice(middle)];
      const ended = await Promise.allSettled(halves.map((half) => this.planApart(signal, half)));
      for (const half of ended) if (half.status === 'rejected') throw half.reason;
    }
  }

  private async planChunk(tx: Tx, signal: Signal, due: readonly DueCopier[]): Promise<void> {
    await lockForCopying(
      tx,
      due.map(({ accountId }) => accountId),
      due.map(({ id }) => id),
    );
    const ids = await undecided(
      tx,
      signal,
      due.map(({ id }) => id),
    );
    await this.options.onStep?.('locked');
    const now = await databaseNow(tx);
    const planned = await planFor(tx, signal, ids, { now });
    await this.options.onStep?.('planned');
    await storePlans(tx, signal, planned, now, this.options.onStep);
  }

  /** Before the transaction, which must not wait for an exchange: once for a signal. */
  private async refreshEquities(strategyId: string, refreshed: number): Promise<number> {
    const { refreshBalances } = this.options;
    if (refreshBalances === undefined) return refreshed;
    const tx = this.platform.database.manager;
    const [signal] = await signalsAfter(tx, strategyId, await nextSequence(tx, strategyId), 1);
    if (signal === undefined || signal.sequence === refreshed || isExit(signal)) return refreshed;
    const stale = this.notAskedLately(await staleEquityAccounts(tx, signal, EQUITY_AGE_MAX_MS));
    if (stale.length > 0) await refreshBalances(stale);
    return signal.sequence;
  }

  /** Of these, those whose balances were not asked for just now; they are from here on. */
  private notAskedLately(accountIds: readonly string[]): string[] {
    const now = performance.now();
    for (const [id, atMs] of this.asked) {
      if (now - atMs < REFRESHED_EVERY_MS) break;
      this.asked.delete(id);
    }
    const due = accountIds.filter((id) => !this.asked.has(id));
    for (const id of due) this.asked.set(id, now);
    return due;
  }
}

/** In their order; those of one account in one lane, so that no lane waits for the other's locks. */
function lanesOf(due: readonly DueCopier[]): DueCopier[][] {
  if (due.length <= CHUNK_MIN) return [[...due]];
  const lanes = Array.from({ length: LANES }, (): DueCopier[] => []);
  for (const copier of due) lanes[Number.parseInt(copier.accountId.slice(-4), 16) % LANES]!.push(copier);
  return lanes;
}

async function giveUp(tx: Tx, signal: Signal, { id, accountId }: DueCopier): Promise<void> {
  await lockForCopying(tx, [accountId], [id]);
  const [copierId] = await undecided(tx, signal, [id]);
  if (copierId !== undefined) await storeFailure(tx, signal, copierId, await databaseNow(tx));
}

interface PlanningOf {
  readonly now: Date;
  /** How the planning is shown the signal; as it is, unless given. */
  readonly plannedAs?: PlannedSignal;
  /** Whether it is made up for: that the copier was paused when it was given does not matter then. */
  readonly isOwed?: boolean;
}

/** What the copiers do about the signal, in the order given. */
export async function planFor(
  tx: Tx,
  signal: Signal,
  ids: readonly string[],
  { now, plannedAs = plannedSignalOf(signal), isOwed = false }: PlanningOf,
): Promise<PlannedCopy[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await copierRows(tx, ids, signal)).map((row) => [row.id, row]));
  const copiers = ids.map((id) => rows.get(id)!);
  const [base, quote] = assetsOf(signal.symbol);
  const day = now.toISOString().slice(0, 10);
  const { lotTradeId, sequence } = signal;
  const holdings = await holdingsOf(tx, ids, { lotTradeId, sequence, quote, day });
  const accountIds = [...new Set(copiers.map(({ accountId }) => accountId))];
  const free = await freeOf(tx, accountIds, [base, quote]);
  const equities = await youngEquities(tx, copiers, quote, now);
  const candidates = copiers.map((copier) => ({
    copier,
    holdings: holdings.get(copier.id) ?? NOTHING_HELD,
    equity: equities.get(copier.accountId) ?? null,
  }));
  return planInTurn(candidates, { signal: plannedAs, now, free, isOwed });
}

/** `BASE/QUOTE`, and `BASE/QUOTE:SETTLE` of what settles elsewhere. */
export function assetsOf(symbol: string): readonly [base: string, quote: string] {
  const [base = '', rest = ''] = symbol.split('/');
  return [base, rest.split(':')[0] ?? ''];
}

async function youngEquities(
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
