import { COPIERS } from './cast.mjs';
import { DAY_MS } from './market.mjs';
import { resultOf } from './simulation.mjs';
import { idOf } from './trade-rows.mjs';
import { instantOf } from './units.mjs';

const WEEK_MS = 7 * DAY_MS;
/** Day 0 of Unix time was a Thursday, so weeks begin on day 4. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const SETTLED_WEEKS = 6;
const RATE = 0.15;
/** Smaller gains of a week are left to the next one. */
const GAIN_MIN = 20;

/**
 * Settles the last weeks of the copiers of the demo user's strategy: each week's gain above the mark is shared.
 *
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {import('./trade-rows.mjs').Ids} ids
 * @param {import('./random.mjs').Random} random
 */
export function settlementsOf({ market, positions }, ids, random) {
  const lastTo = FIRST_MONDAY_MS + Math.floor((market.end - FIRST_MONDAY_MS - 3_600_000) / WEEK_MS) * WEEK_MS;
  return COPIERS.filter(({ strategy }) => strategy === 'momentum').flatMap((copier) => {
    const closed = positions.flatMap(({ copier: key, round }) => {
      const last = round.exits.at(-1);
      return key === copier.key && last?.intent === 'CLOSE'
        ? [{ round, at: last.endedAt, result: resultOf(round) }]
        : [];
    });
    let mark = 0;
    return Array.from(
      { length: SETTLED_WEEKS },
      (_, week) => lastTo - (SETTLED_WEEKS - 1 - week) * WEEK_MS,
    ).flatMap((to) => {
      const total = closed.reduce((sum, { at, result }) => sum + (at < to ? result : 0), 0);
      const inWeek = closed.filter(({ at }) => at >= to - WEEK_MS && at < to);
      const gain = Number((total - mark).toFixed(2));
      if (gain < GAIN_MIN) return [];
      const id = random.uuid(to + 600_000);
      const month = new Date(to);
      const monthStart = Date.UTC(month.getUTCFullYear(), month.getUTCMonth());
      const claimableAt = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
      const isFinal = claimableAt <= market.end;
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
        budget_month: instantOf(monthStart).slice(0, 10),
        created_at: instantOf(to + 600_000),
      };
      mark += gain;
      const lots = inWeek.flatMap(({ round, result }) =>
        round.entry.fills.slice(0, 1).map((fill) => ({
          settlement_id: id,
          lot_id: fill.id,
          realized: result.toFixed(8),
          open_loss: '0',
        })),
      );
      const claimedAt = isFinal && random.chance(0.6) ? claimableAt + random.between(1, 5) * DAY_MS : null;
      const isClaimed = claimedAt !== null && claimedAt < market.end;
      return [
        {
          row,
          gain,
          lots,
          claimableAt,
          isFinal,
          claimedAt: isClaimed ? claimedAt : null,
        },
      ];
    });
  });
}

/**
 * The months whose grants are final: none exceeded the budget.
 *
 * @param {readonly { row: import('./trade-rows.mjs').Row, isFinal: boolean }[]} settlements
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
