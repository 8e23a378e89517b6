import { setTimeout as sleep } from 'node:timers/promises';
import {
  assetsOfSymbol,
  DomainError,
  decodeId,
  SIMULATED_DECISIONS_MAX,
  SIMULATED_SIGNALS_MAX,
  type Simulation,
  type SimulationAsked,
  simulationOperations,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

import { type Actor, authorise, invalidState } from '../../operations/index.js';
import { FairGate, type FairGateLimits, type Platform } from '../../platform/index.js';
import { lastSequenceOf, signalsAfter } from '../../strategies/index.js';
import { equitiesOf } from '../../trade-pairs/index.js';
import { BigDecimal } from '../../values/index.js';
import { overrideColumns } from '../copier.rules.js';
import { choosePairs, type OfferedPair } from '../offered-pairs.queries.js';
import { coarseSignal } from '../planning/coarse-signal.rules.js';
import { candidateSymbols } from '../planning/pair-choice.rules.js';
import { copyPairOf, termsOf } from '../planning/planned-signal.js';
import type { PastFunding } from './funding-feed.js';
import { Replay } from './replay.js';
import type { ReplayedDecision, ReplayedPerpetual, ReplayPair } from './replay.types.js';
import {
  balanceOf,
  type CopierToSimulate,
  copierToSimulate,
  firstSequenceAt,
  leverageOf,
  observedFeeRate,
  pastFunding,
} from './simulation.queries.js';
import { viewSimulation } from './simulation.view.js';

/** The number of signals read by one query, and so the number in memory. */
const CHUNK_MAX = 100;
/**
 * The number of steps that run without a pause. A step replays one signal or computes one lot, at a cost that does not
 * depend on the number of signals, so other requests never wait for more than a few ms.
 */
const SLICE_STEPS = 20;
/** A pause is this many times as long as the slice before it, so a simulation uses at most a third of the processor. */
const PAUSE_RATIO = 2;
/**
 * A user runs one simulation at a time, and an API process two. Others of the process wait, and are refused if many do.
 */
const LIMITS: FairGateLimits = { total: 2, perUser: 1, openPerUser: 1, waiting: 20 };
/** As a share. Applies if the exchange publishes no fee and the copier has not paid one yet. */
const FEE_RATE_DEFAULT = '0.001';
/** As a share of the notional. More than exchanges ask for small positions in liquid perpetuals. */
const MAINTENANCE_RATE_DEFAULT = '0.05';

export interface SimulationBounds {
  readonly signalsMax?: number;
  readonly decisionsMax?: number;
}

interface LinkedCopier extends CopierToSimulate {
  readonly strategyId: string;
}

/**
 * Simulates what a copier would have done about its strategy's past signals.
 *
 * Of the strategy it reads only signals, and never the holdings of its account. Of another user's strategy, it computes with
 * what every user who copies it may see: equity, amounts and fractions with two significant digits.
 * The work is bounded: it replays only the newest signals of the range, in slices, and stops when the client disconnects.
 */
export class CopierSimulation {
  private readonly signalsMax: number;
  private readonly decisionsMax: number;
  private readonly gate = new FairGate('simulations', LIMITS);

  constructor(
    private readonly platform: Platform,
    { signalsMax = SIMULATED_SIGNALS_MAX, decisionsMax = SIMULATED_DECISIONS_MAX }: SimulationBounds = {},
  ) {
    this.signalsMax = signalsMax;
    this.decisionsMax = decisionsMax;
  }

  /**
   * @throws {DomainError} `not_found`; `invalid_state` if the copier follows no strategy, or if its account
   *   was removed or its balances were never read;
   *   `rate_limited` while another simulation of the actor runs; `service_unavailable` while too many simulations wait
   */
  async simulate(actor: Actor, publicId: string, range: SimulationAsked = {}): Promise<Simulation> {
    authorise(actor, simulationOperations.simulate.access);
    return this.gate.run(actor.userId, () => this.replay(actor, publicId, range), actor.signal);
  }

  private async replay(actor: Actor, publicId: string, range: SimulationAsked): Promise<Simulation> {
    const tx = this.platform.database.manager;
    const copier = await findLinkedCopier(tx, actor, publicId);
    const { first, last } = await rangeOf(tx, copier.strategyId, range);
    const start = Math.max(first, last - this.signalsMax + 1);
    const data = new ReplayData(tx, copier, range.to === undefined ? null : new Date(range.to));
    const replay = new Replay({
      copierId: copier.id,
      terms: termsOf(copier),
      overriddenTerms: new Map(
        Object.entries(copier.overrides).map(([symbol, override]) => [
          symbol,
          termsOf({ ...copier, ...overrideColumns(override) }),
        ]),
      ),
      onBreach: copier.onBreach,
      startingEquity: data.startingEquity,
      pairs: data.pairs,
      funding: data.funding,
    });
    const slices = new Slices(actor.signal);
    const { decisions, firstEmittedAt, lastEmittedAt } = await this.run(tx, {
      copier,
      data,
      replay,
      slices,
      start,
      last,
    });
    const { currency } = replay;
    await slices.run(replay.fundingSteps(data.until));
    const result = await slices.run(replay.resultStepsIn(currency ?? ''));
    return viewSimulation({
      isOwnStrategy: copier.isOwnStrategy,
      firstEmittedAt,
      lastEmittedAt,
      signalCount: Math.max(0, last - start + 1),
      olderSignalCount: start - first,
      decisions: decisions.slice(-this.decisionsMax),
      counts: replay.counts,
      currency,
      startingEquity: (currency === null ? undefined : data.startingEquity.get(currency)) ?? '0',
      result,
      isPerpetual: copier.tradingType === 'perpetual',
      funding: replay.fundingIn(currency ?? ''),
      margin: replay.marginIn(currency ?? ''),
    });
  }

  private async run(
    tx: Tx,
    { copier, data, replay, slices, start, last }: ReplayRun,
  ): Promise<{ decisions: ReplayedDecision[]; firstEmittedAt: Date | null; lastEmittedAt: Date | null }> {
    let decisions: ReplayedDecision[] = [];
    let [firstEmittedAt, lastEmittedAt]: [Date | null, Date | null] = [null, null];
    for (let after = start - 1; after < last; ) {
      const limit = Math.min(CHUNK_MAX, last - after);
      const signals = await signalsAfter(tx, copier.strategyId, after, limit);
      if (signals.length === 0) break;
      await data.load(
        signals.map(({ symbol }) => symbol),
        signals[0]!.emittedAt,
      );
      const replayed: ReplayedDecision[] = [];
      for (const signal of signals) {
        await slices.run(replay.fundingSteps(signal.emittedAt));
        replayed.push(replay.apply(copier.isOwnStrategy ? signal : coarseSignal(signal)));
        await slices.step();
      }
      decisions = [...decisions.slice(-this.decisionsMax), ...replayed];
      firstEmittedAt ??= signals[0]!.emittedAt;
      lastEmittedAt = signals.at(-1)!.emittedAt;
      after = signals.at(-1)!.sequence;
    }
    return { decisions, firstEmittedAt, lastEmittedAt };
  }
}

/** Pauses a computation after every few steps, so that other work of the process runs. */
class Slices {
  private steps = 0;
  private sliceStartedAt = performance.now();

  constructor(private readonly signal: AbortSignal | undefined) {}

  /** @throws the reason of the signal, if it is aborted */
  async step(): Promise<void> {
    this.steps += 1;
    if (this.steps % SLICE_STEPS !== 0) return;
    await sleep((performance.now() - this.sliceStartedAt) * PAUSE_RATIO);
    this.sliceStartedAt = performance.now();
    this.signal?.throwIfAborted();
  }

  async run<T>(steps: Generator<void, T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await this.step();
    }
  }
}

interface ReplayRun {
  readonly copier: LinkedCopier;
  readonly data: ReplayData;
  readonly replay: Replay;
  readonly slices: Slices;
  /** The sequence of the first signal to replay; `last` is that of the last one. */
  readonly start: number;
  readonly last: number;
}

async function findLinkedCopier(tx: Tx, actor: Actor, publicId: string): Promise<LinkedCopier> {
  const id = decodeId('cpr', publicId);
  const copier = id === null ? null : await copierToSimulate(tx, actor.userId, id);
  if (copier === null) throw new DomainError('not_found');
  const { strategyId } = copier;
  if (strategyId === null) {
    throw invalidState('The copier does not follow a strategy. Set its strategy_id first.', 'NO_STRATEGY');
  }
  if (copier.isAccountRemoved) {
    const message = 'The exchange account was removed. Create a copier on another account.';
    throw invalidState(message, 'ACCOUNT_REMOVED');
  }
  if (!copier.areBalancesKnown) {
    const message =
      'The balances of the exchange account were not read yet. Repeat the request in a few seconds, or check the account.';
    throw invalidState(message, 'BALANCES_UNKNOWN');
  }
  return { ...copier, strategyId };
}

/** Returns the first and the last sequence in the range. If it contains no signal, `last` is less than `first`. */
async function rangeOf(
  tx: Tx,
  strategyId: string,
  { from, to }: SimulationAsked,
): Promise<{ first: number; last: number }> {
  const last = await lastSequenceOf(tx, strategyId);
  const sequenceAt = (at: string) => firstSequenceAt(tx, strategyId, last, new Date(at));
  return {
    first: from === undefined ? 1 : await sequenceAt(from),
    last: to === undefined ? last : (await sequenceAt(to)) - 1,
  };
}

/** The pairs, fees and starting equity that the replay needs. They are loaded when a symbol first occurs. */
class ReplayData {
  readonly pairs = new Map<string, ReplayPair>();
  readonly startingEquity = new Map<string, string>();
  readonly funding = new Map<string, readonly PastFunding[]>();
  /** The end of the replay. */
  readonly until: Date;
  private readonly loadedSymbols = new Set<string>();
  private observedFee: string | null | undefined;

  constructor(
    private readonly tx: Tx,
    private readonly copier: LinkedCopier,
    /** The end of the range; null if it reaches until now. Open lots are then valued at the prices of now. */
    private readonly to: Date | null,
  ) {
    this.until = to ?? new Date();
  }

  /** @param since the time of the first of the signals with these symbols */
  async load(symbols: readonly string[], since: Date): Promise<void> {
    const unknown = [...new Set(symbols)].filter((symbol) => !this.loadedSymbols.has(symbol));
    if (unknown.length === 0) return;
    const { exchange, tradingType } = this.copier;
    const requests = unknown.map((symbol) => ({
      exchange,
      candidates: candidateSymbols(symbol, this.copier),
    }));
    const chosen = await choosePairs(this.tx, tradingType, requests);
    for (const [index, symbol] of unknown.entries()) {
      this.loadedSymbols.add(symbol);
      const pair = chosen[index] ?? null;
      await this.loadEquity(pair?.quote ?? assetsOfSymbol(symbol).settle);
      if (pair === null) continue;
      const feeRate = pair.takerFee ?? (await this.recentFeeRate()) ?? FEE_RATE_DEFAULT;
      // `lastPrice` is the price now, not at the time of a replayed signal.
      const rules = { ...copyPairOf(pair), lastPrice: null, lastPriceAt: null };
      const mark = this.to === null ? pair.lastPrice : null;
      const perpetual = tradingType === 'perpetual' ? await this.perpetualOf(pair) : undefined;
      this.pairs.set(symbol, { rules, feeRate, mark, perpetual });
      if (tradingType === 'perpetual' && !this.funding.has(pair.symbol))
        this.funding.set(pair.symbol, await pastFunding(this.tx, pair.id, since, this.until));
    }
  }

  /**
   * The maintenance rate is the initial margin at the highest leverage, which every maintenance margin of a small position
   * is below; a default if the highest leverage is unknown. Higher brackets of large positions are not known.
   */
  private async perpetualOf({ id }: OfferedPair): Promise<ReplayedPerpetual> {
    const { leverage, maxLeverage } = await leverageOf(this.tx, this.copier.accountId, id);
    if (maxLeverage === null)
      return { leverage, maintenanceRate: MAINTENANCE_RATE_DEFAULT, isMaintenanceAssumed: true };
    const maintenanceRate = new BigDecimal(1).div(maxLeverage).toDecimalPlaces(18).toString();
    return { leverage, maintenanceRate, isMaintenanceAssumed: false };
  }

  private async loadEquity(quote: string): Promise<void> {
    if (this.startingEquity.has(quote)) return;
    const { accountId } = this.copier;
    const equity = (await equitiesOf(this.tx, [accountId], quote)).get(accountId);
    this.startingEquity.set(quote, equity?.amount ?? (await balanceOf(this.tx, accountId, quote)));
  }

  private async recentFeeRate(): Promise<string | null> {
    if (this.observedFee === undefined) this.observedFee = await observedFeeRate(this.tx, this.copier.id);
    return this.observedFee;
  }
}
