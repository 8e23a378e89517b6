import { COPIERS } from './cast.mjs';
import { DAY_MS } from './market.mjs';
import { resultOf } from './simulation.mjs';
import { idOf } from './trade-rows.mjs';
import { instantOf } from './units.mjs';

const WEEK_MS = 7 * DAY_MS;
/** Day 0 of Unix time was a Thursday, so weeks begin on day 4. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const SETTLED_WEEKS = 6;
const SETTLEMENT_DELAY_MS = 600_000;
const RATE = 0.15;
/** Smaller gains of a week are left to the next one. */
const GAIN_MIN = 20;

/**
 * @typedef {{ row: import('./trade-rows.mjs').Row, lots: import('./trade-rows.mjs').Row[], gain: number, claimableAt: number, isFinal: boolean, claimedAt: number | null }} Settlement
 *
 * @typedef {{ round: import('./rounds.mjs').Round, at: number, result: number }} ClosedCopy
 */

/**
 * Settles the last weeks of the copiers of the demo user's strategy: each week's gain above the mark is shared.
 *
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {import('./trade-rows.mjs').Ids} ids
 * @param {import('./random.mjs').Random} random
 * @returns {Settlement[]}
 */
export function settlementsOf({ market, positions }, ids, random) {
  const weeks = Math.floor((market.end - FIRST_MONDAY_MS - 3_600_000) / WEEK_MS);
  const ends = Array.from(
    { length: SETTLED_WEEKS },
    (_, week) => FIRST_MONDAY_MS + (weeks - SETTLED_WEEKS + 1 + week) * WEEK_MS,
  );
  return COPIERS.filter(({ strategy }) => strategy === 'momentum').flatMap((copier) => {
    const copies = positions.filter((position) => position.copier === copier.key).flatMap(closedCopyOf);
    let mark = 0;
    return ends.flatMap((to) => {
      const total = copies.reduce((sum, { at, result }) => sum + (at < to ? result : 0), 0);
      const gain = Number((total - mark).toFixed(2));
      if (gain < GAIN_MIN) return [];
      const inWeek = copies.filter(({ at }) => at >= to - WEEK_MS && at < to);
      const settlement = settle({ copier, to, mark, gain, copies: inWeek, end: market.end, ids, random });
      mark += gain;
      return [settlement];
    });
  });
}

/**
 * @param {import('./simulation.mjs').Position} position
 * @returns {ClosedCopy[]}
 */
function closedCopyOf({ round }) {
  const last = round.exits.at(-1);
  return last?.intent === 'CLOSE' ? [{ round, at: last.endedAt, result: resultOf(round) }] : [];
}

/**
 * @param {{
 *   copier: import('./cast.mjs').CastCopier, to: number, mark: number, gain: number, copies: readonly ClosedCopy[], end: number,
 *   ids: import('./trade-rows.mjs').Ids, random: import('./random.mjs').Random,
 * }} options
 * @returns {Settlement}
 */
function settle({ copier, to, mark, gain, copies, end, ids, random }) {
  const settledAt = to + SETTLEMENT_DELAY_MS;
  const id = random.uuid(settledAt);
  const [year, month] = [new Date(to).getUTCFullYear(), new Date(to).getUTCMonth()];
  const claimableAt = Date.UTC(year, month + 1);
  const isFinal = claimableAt <= end;
  const row = {
    id,
    user_id: idOf(ids.users, copier.account),
    leader_account_id: idOf(ids.accounts, 'demo.momentum'),
    currency: 'USDT',
    period_from: instantOf(to - WEEK_MS),
    period_to: instantOf(to),
    copier_id: idOf(ids.copiers, copier.key),
    strategy_id: idOf(ids.strategies, 'momentum'),
    rate: String(RATE),
    tokens_per_quote: '1',
    realized: String(gain),
    open_loss: '0',
    mark_before: mark.toFixed(2),
    mark_after: (mark + gain).toFixed(2),
    amount: (gain * RATE).toFixed(4),
    budget_month: instantOf(Date.UTC(year, month)).slice(0, 10),
    created_at: instantOf(settledAt),
  };
  const lots = copies.flatMap(({ round, result }) =>
    round.entry.fills
      .slice(0, 1)
      .map((fill) => ({ settlement_id: id, lot_id: fill.id, realized: result.toFixed(8), open_loss: '0' })),
  );
  const claimedAt = claimableAt + random.between(1, 5) * DAY_MS;
  const isClaimed = isFinal && random.chance(0.6) && claimedAt < end;
  return { row, lots, gain, claimableAt, isFinal, claimedAt: isClaimed ? claimedAt : null };
}

/**
 * The months whose grants are final: none exceeded the budget.
 *
 * @param {readonly Settlement[]} settlements
 * @param {number} end
 */
export function finalMonths(settlements, end) {
  const months = new Set(
    settlements.filter(({ isFinal }) => isFinal).map(({ row }) => String(row.budget_month)),
  );
  return [...months].map((month) => {
    const own = settlements.filter(({ row }) => row.budget_month === month);
    const requested = own.reduce((sum, { row }) => sum + Number(row.amount), 0).toFixed(4);
    return {
      month,
      budget: '1000000',
      requested,
      scale: '1',
      created_at: instantOf(Math.min(end, Date.parse(month) + 32 * DAY_MS)),
    };
  });
}
