import { decideEntry, decideExit, skip } from './decide.mjs';
import { costOf, filledAmount } from './orders.mjs';
import { decimalOf, instantOf, numberOf, valueAt } from './units.mjs';

/**
 * @typedef {import('./signals.mjs').Signal} Signal
 *
 * @typedef {{
 *   id: string, copier: string, signal: Signal, at: number, outcome: 'COPIED' | 'CLAMPED' | 'SKIPPED' | 'FAILED',
 *   code: string | null, inputs: Record<string, unknown>, target: bigint, perfect: bigint | null, order: import('./orders.mjs').Order | null,
 *   latencyMs: number | null, arrivalPrice: string | null, isWaiting?: boolean,
 * }} Decision `isWaiting`: the exit is below the exchange's minimum and waits for more
 *
 * @typedef {{ signal: Signal, ratio: { amount: bigint, of: bigint }, round: import('./rounds.mjs').Round, forgone: bigint, owed: bigint }} CopiedLot
 */

/**
 * Decides what a copier does about each signal of its strategy.
 *
 * @param {import('./cast.mjs').CastCopier} copier
 * @param {{
 *   random: import('./random.mjs').Random, signals: readonly Signal[], from: number, until: number,
 * }} options signals before `from` have no decision; from `until` on, the copier is paused
 * @returns {{ decisions: Decision[], lots: CopiedLot[] }}
 */
export function copySignals(copier, { random, signals, from, until }) {
  /** @type {Map<import('./rounds.mjs').Round, CopiedLot>} */
  const lots = new Map();
  /** @type {Decision[]} */
  const decisions = [];
  for (const signal of signals) {
    if (signal.at < from) continue;
    const context = { copier, random, signal, at: Math.floor(signal.at + random.between(30, 120)) };
    const lot = lots.get(signal.round);
    if (signal.kind !== 'OPEN') decisions.push(decideExit(context, lot));
    else if (signal.at >= until)
      decisions.push(skip(context, 'NOT_ACTIVE', { rule: 'status', value: copier.status, limit: 'ACTIVE' }));
    else {
      const { decision, lot: opened } = decideEntry(context);
      decisions.push(decision);
      if (opened !== undefined) lots.set(signal.round, opened);
    }
  }
  return { decisions, lots: [...lots.values()] };
}

/** The stored data of the signal that a copy copies. @param {Decision} decision */
export function storedCopyOf({ signal, inputs, target, arrivalPrice }) {
  return {
    ratio: String(inputs.ratio ?? '1'),
    masked_ratio: String(inputs.masked_ratio ?? '1'),
    masked_amount: decimalOf(target),
    sequence: signal.sequence,
    signal_at: instantOf(signal.at),
    received_at: instantOf(signal.at + 18),
    reference_price: decimalOf(signal.fill.price),
    ...(arrivalPrice === null ? {} : { arrival_price: arrivalPrice }),
  };
}

/** Returns how much worse than the signal the order was filled, in basis points. @param {Decision} decision */
export function slippageOf({ signal, order }) {
  if (order === null || order.fills.length === 0) return null;
  const reference = numberOf(valueAt(signal.fill.price, filledAmount(order)));
  const loss = (numberOf(costOf(order)) - reference) * (order.side === 'BUY' ? 1 : -1);
  return ((loss / reference) * 10_000).toFixed(4);
}
