import { STRATEGIES } from './cast.mjs';
import { costOf, filledAmount } from './orders.mjs';
import { idOf, resultColumns } from './trade-rows.mjs';
import { decimalOf, instantOf, valueAt } from './units.mjs';

/** @typedef {import('./trade-rows.mjs').Row} Row @typedef {import('./trade-rows.mjs').Ids} Ids */

/**
 * Returns the rows of all signals, with the sequences up to which each strategy's signals are decided.
 *
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {Ids} ids
 * @returns {{ signals: Row[], strategy_sequences: Row[], copy_progress: Row[] }}
 */
export function signalRows({ signals }, ids) {
  const strategies = [...signals].map(([key, list]) => ({
    id: idOf(ids.strategies, key),
    last: list.length,
  }));
  return {
    signals: [...signals.values()].flat().map((signal) => signalRow(signal, ids)),
    strategy_sequences: strategies.map(({ id, last }) => ({ strategy_id: id, last_sequence: last })),
    copy_progress: strategies.map(({ id, last }) => ({ strategy_id: id, planned_sequence: last })),
  };
}

/**
 * @param {import('./signals.mjs').Signal} signal
 * @param {Ids} ids
 * @returns {Row}
 */
function signalRow(signal, ids) {
  const { kind, round, order, fill, before, equity } = signal;
  const isEntry = kind === 'OPEN';
  const after = isEntry ? filledAmount(round.entry) : before - fill.amount;
  const account = STRATEGIES.find(({ key }) => key === signal.strategy)?.account ?? '';
  const ratio = Number(valueAt(fill.price, fill.amount)) / 1e8 / equity;
  return {
    id: signal.id,
    strategy_id: idOf(ids.strategies, signal.strategy),
    sequence: signal.sequence,
    kind,
    side: order.side,
    trade_pair_id: idOf(ids.pairs, round.pair.symbol),
    symbol: round.pair.symbol,
    trading_type: 'spot',
    exchange_account_id: idOf(ids.accounts, account),
    lot_trade_id: round.entry.id,
    lot_first_sequence: signal.firstSequence,
    lot_opened_at: instantOf(round.entry.fills[0]?.at ?? signal.at),
    lot_order_amount: decimalOf(round.entry.amount),
    source_trade_id: order.id,
    source_fill_id: fill.id,
    filled_amount: decimalOf(fill.amount),
    cumulative_amount: decimalOf(filledAmount(round.entry)),
    lot_amount_before: decimalOf(before),
    lot_amount_after: decimalOf(after),
    exit_amount: isEntry ? '0' : decimalOf(fill.amount),
    reference_price: decimalOf(fill.price),
    leader_equity: equity.toFixed(8),
    leader_ratio: ratio.toFixed(18),
    signal_at: instantOf(signal.at),
    emitted_at: instantOf(signal.at + 15),
  };
}

/**
 * Returns the rows of all decisions.
 *
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {Ids} ids
 * @returns {Row[]}
 */
export function decisionRows({ copies }, ids) {
  return copies.flatMap(({ copier, decisions }) =>
    decisions.map((decision) => {
      const { signal, at, latencyMs, perfect } = decision;
      const settledAt = instantOf(at + (latencyMs ?? 0) + 60);
      const isWaiting = decision.isWaiting === true;
      return {
        id: decision.id,
        user_id: idOf(ids.users, copier.account.split('.')[0] ?? ''),
        copier_id: idOf(ids.copiers, copier.key),
        strategy_id: idOf(ids.strategies, signal.strategy),
        exchange_account_id: idOf(ids.accounts, copier.account),
        signal_id: signal.id,
        sequence: signal.sequence,
        source_trade_id: signal.order.id,
        lot_trade_id: signal.round.entry.id,
        symbol: signal.round.pair.symbol,
        kind: signal.kind,
        reference_price: decimalOf(signal.fill.price),
        signal_at: instantOf(signal.at),
        outcome: decision.outcome,
        code: decision.code,
        inputs: decision.inputs,
        target_amount: decimalOf(decision.target),
        perfect_amount: perfect === null ? null : decimalOf(perfect),
        ...resultColumns(decision),
        is_applied: true,
        is_abandoned: false,
        look_at: settledAt,
        latency_ms: latencyMs === null ? null : Math.round(latencyMs),
        settled_at: isWaiting ? null : settledAt,
        delay_reported_at: isWaiting ? settledAt : null,
        created_at: instantOf(at),
        updated_at: settledAt,
      };
    }),
  );
}

/**
 * Returns the rows of the lots that copiers share in.
 *
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {Ids} ids
 * @returns {Row[]}
 */
export function copiedLotRows({ positions, copies }, ids) {
  return positions.flatMap(({ copier: key, copied }) => {
    const copier = copies.find((copy) => copy.copier.key === key)?.copier;
    if (copied === undefined || copier === undefined) return [];
    const { signal, ratio, round, forgone, owed } = copied;
    return {
      copier_id: idOf(ids.copiers, copier.key),
      strategy_id: idOf(ids.strategies, signal.strategy),
      lot_trade_id: signal.round.entry.id,
      ...lowestTerms(ratio.amount, ratio.of),
      masked_ratio: String(Number((Number(ratio.amount) / Number(ratio.of)).toPrecision(2))),
      masked_forgone: decimalOf(forgone),
      terms: termsOf(copier),
      sent_amount: decimalOf(round.entry.amount),
      sent_quote: decimalOf(costOf(round.entry)),
      forgone_amount: decimalOf(forgone),
      seen_amount: decimalOf(filledAmount(signal.round.entry)),
      owed_amount: decimalOf(owed),
      created_at: instantOf(round.entry.at),
      updated_at: instantOf(round.exits.at(-1)?.endedAt ?? round.entry.endedAt),
    };
  });
}

/** The settings that a lot keeps. @param {import('./cast.mjs').CastCopier} copier */
function termsOf({ sizing, limits = {} }) {
  const text = (/** @type {number | undefined} */ value) => (value === undefined ? null : String(value));
  return {
    sizing: {
      mode: sizing.mode,
      value: String(sizing.value),
      capital: 'capital' in sizing ? String(sizing.capital) : null,
    },
    belowMinimum: 'ACCUMULATE',
    maxTradeQuote: text(limits.max_trade_quote),
    maxOpenQuote: null,
    maxOpenTrades: limits.max_open_trades ?? null,
    maxDailyLossQuote: text(limits.max_daily_loss_quote),
    maxDrawdownPercent: null,
    maxSlippageBps: limits.max_slippage_bps ?? null,
    maxSignalAgeMs: 60_000,
    allowedPairs: null,
    blockedPairs: limits.blocked_pairs ?? null,
    allowedSides: null,
  };
}

/** @param {bigint} numerator @param {bigint} denominator */
function lowestTerms(numerator, denominator) {
  let [a, b] = [numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return { ratio_numerator: String(numerator / a), ratio_denominator: String(denominator / a) };
}
