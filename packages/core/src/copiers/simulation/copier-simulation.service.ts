import {
  DomainError,
  decodeId,
  SIMULATED_DECISIONS_MAX,
  SIMULATED_SIGNALS_MAX,
  type Simulation,
  type SimulationAsked,
  simulationOperations,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

import { type Actor, authorise, type CommandRunner, invalidState } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { lastSequenceOf, signalsAfter } from '../../strategies/index.js';
import { equitiesOf } from '../../trade-pairs/index.js';
import { copyPairOf, termsOf } from '../planning/planned-signal.js';
import { quoteOf, Replay, type ReplayedDecision, type ReplayPair } from './replay.js';
import {
  balanceOf,
  type CopierToSimulate,
  copierToSimulate,
  firstSequenceAt,
  observedFeeRate,
  pairsOf,
} from './simulation.queries.js';
import { viewSimulation } from './simulation.view.js';

/** A chunk is replayed without yielding, which takes a few milliseconds. Other requests run between chunks. */
const CHUNK_MAX = 100;
/** Applies if the exchange publishes no fee and the copier has not paid a fee yet. */
const FEE_RATE_DEFAULT = '0.001';

export interface SimulationBounds {
  readonly signalsMax?: number;
  readonly decisionsMax?: number;
}

interface FollowingCopier extends CopierToSimulate {
  readonly strategyId: string;
}

/**
 * Simulates what a copier would have done about its strategy's past signals.
 *
 * It reads only signals, which every follower may see, and never the holdings of the strategy's account. The work is
 * bounded: it replays only the newest signals of the range, in chunks.
 */
export class CopierSimulation {
  private readonly signalsMax: number;
  private readonly decisionsMax: number;

  constructor(
    private readonly platform: Platform,
    private readonly commands: CommandRunner,
    { signalsMax = SIMULATED_SIGNALS_MAX, decisionsMax = SIMULATED_DECISIONS_MAX }: SimulationBounds = {},
  ) {
    this.signalsMax = signalsMax;
    this.decisionsMax = decisionsMax;
  }

  /** @throws {DomainError} `not_found`; `invalid_state` if the copier follows no strategy or its account was removed */
  async simulate(actor: Actor, publicId: string, range: SimulationAsked = {}): Promise<Simulation> {
    authorise(actor, simulationOperations.simulate.access);
    return this.commands.runPrepared(
      actor.idempotency,
      () => this.replay(actor, publicId, range),
      async (_, simulation) => simulation,
    );
  }

  private async replay(actor: Actor, publicId: string, range: SimulationAsked): Promise<Simulation> {
    const tx = this.platform.database.manager;
    const copier = await findFollowing(tx, actor, publicId);
    const { first, last } = await rangeOf(tx, copier.strategyId, range);
    const start = Math.max(first, last - this.signalsMax + 1);
    const market = new SimulationMarket(tx, copier);
    const replay = new Replay({
      copierId: copier.id,
      terms: termsOf(copier),
      onBreach: copier.onBreach,
      startingEquity: market.startingEquity,
      pairs: market.pairs,
    });
    const { decisions, firstAt, lastAt } = await this.run(tx, { copier, market, replay, start, last });
    const { currency } = replay;
    return viewSimulation({
      first: firstAt,
      last: lastAt,
      signalCount: Math.max(0, last - start + 1),
      leftOutCount: start - first,
      decisions: decisions.slice(-this.decisionsMax),
      counts: replay.counts,
      currency,
      startingEquity: (currency === null ? undefined : market.startingEquity.get(currency)) ?? '0',
      result: replay.resultIn(currency ?? ''),
    });
  }

  private async run(
    tx: Tx,
    { copier, market, replay, start, last }: ReplayRun,
  ): Promise<{ decisions: ReplayedDecision[]; firstAt: Date | null; lastAt: Date | null }> {
    let decisions: ReplayedDecision[] = [];
    let [firstAt, lastAt]: [Date | null, Date | null] = [null, null];
    for (let after = start - 1; after < last; ) {
      const limit = Math.min(CHUNK_MAX, last - after);
      const signals = await signalsAfter(tx, copier.strategyId, after, limit);
      if (signals.length === 0) break;
      await market.load(signals.map(({ symbol }) => symbol));
      decisions = [...decisions.slice(-this.decisionsMax), ...signals.map((signal) => replay.apply(signal))];
      firstAt ??= signals[0]!.emittedAt;
      lastAt = signals.at(-1)!.emittedAt;
      after = signals.at(-1)!.sequence;
    }
    return { decisions, firstAt, lastAt };
  }
}

interface ReplayRun {
  readonly copier: FollowingCopier;
  readonly market: SimulationMarket;
  readonly replay: Replay;
  /** `start` and `last` are the sequences of the first and of the last signal. */
  readonly start: number;
  readonly last: number;
}

async function findFollowing(tx: Tx, actor: Actor, publicId: string): Promise<FollowingCopier> {
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
  return { ...copier, strategyId };
}

/** Returns the sequences of the signals in the range. If there are none, `last` is less than `first`. */
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

/** The pairs, fees and equity that the replay needs; loaded when a symbol first occurs. */
class SimulationMarket {
  readonly pairs = new Map<string, ReplayPair>();
  readonly startingEquity = new Map<string, string>();
  private readonly loadedSymbols = new Set<string>();
  private observedFee: string | null | undefined;

  constructor(
    private readonly tx: Tx,
    private readonly copier: FollowingCopier,
  ) {}

  async load(symbols: readonly string[]): Promise<void> {
    const unknown = [...new Set(symbols)].filter((symbol) => !this.loadedSymbols.has(symbol));
    if (unknown.length === 0) return;
    for (const pair of await pairsOf(this.tx, this.copier, unknown)) {
      const feeRate = pair.takerFee ?? (await this.feePaid()) ?? FEE_RATE_DEFAULT;
      this.pairs.set(pair.symbol, { rules: copyPairOf(pair), feeRate });
    }
    for (const symbol of unknown) {
      this.loadedSymbols.add(symbol);
      await this.loadEquity(quoteOf(symbol));
    }
  }

  private async loadEquity(quote: string): Promise<void> {
    if (this.startingEquity.has(quote)) return;
    const { accountId } = this.copier;
    const equity = (await equitiesOf(this.tx, [accountId], quote)).get(accountId);
    this.startingEquity.set(quote, equity?.amount ?? (await balanceOf(this.tx, accountId, quote)));
  }

  private async feePaid(): Promise<string | null> {
    if (this.observedFee === undefined) this.observedFee = await observedFeeRate(this.tx, this.copier.id);
    return this.observedFee;
  }
}
