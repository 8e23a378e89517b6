import { filledAmount } from './orders.mjs';

/**
 * A signal of a strategy: one fill of one of its orders.
 *
 * @typedef {{
 *   id: string, strategy: string, sequence: number, firstSequence: number, kind: 'OPEN' | 'REDUCE' | 'CLOSE', at: number,
 *   round: import('./rounds.mjs').Round, order: import('./orders.mjs').Order, fill: import('./orders.mjs').Fill,
 *   before: bigint, equity: number,
 * }} Signal `before`: what the lot held before an exit; `equity`: the leader's equity
 */

/**
 * Numbers the signals of a strategy in the order of their times.
 *
 * @param {string} strategy
 * @param {readonly import('./rounds.mjs').Round[]} rounds
 * @param {{ random: import('./random.mjs').Random, equityAt: (ms: number) => number }} options
 * @returns {Signal[]}
 */
export function signalsOf(strategy, rounds, { random, equityAt }) {
  const moves = rounds.flatMap((round) => {
    let held = filledAmount(round.entry);
    const exits = round.exits.flatMap((order) =>
      order.fills.map((fill) => {
        const before = held;
        held -= fill.amount;
        return {
          round,
          order,
          fill,
          before,
          kind: held === 0n ? /** @type {const} */ ('CLOSE') : /** @type {const} */ ('REDUCE'),
        };
      }),
    );
    const entries = round.entry.fills.map((fill) => ({
      round,
      order: round.entry,
      fill,
      before: 0n,
      kind: /** @type {const} */ ('OPEN'),
    }));
    return [...entries, ...exits];
  });
  moves.sort((a, b) => a.fill.at - b.fill.at);
  /** @type {Map<import('./rounds.mjs').Round, number>} */
  const firsts = new Map();
  return moves.map((move, index) => {
    const sequence = index + 1;
    const firstSequence = firsts.get(move.round) ?? sequence;
    firsts.set(move.round, firstSequence);
    const at = move.fill.at;
    return { ...move, id: random.uuid(at), strategy, sequence, firstSequence, at, equity: equityAt(at) };
  });
}
