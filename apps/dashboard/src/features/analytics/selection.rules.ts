/** Which trades the figures cover. */
import { RANGES, startOfRange } from '../../format/ranges';

export const SELECTABLE_RANGES = [...RANGES, 'custom'] as const;
export const INTERVALS = ['day', 'week', 'month'] as const;

export interface Selection {
  readonly range: (typeof SELECTABLE_RANGES)[number];
  /** The first and the last day of a custom range, such as 2026-03-01. */
  readonly from: string | null;
  readonly to: string | null;
  readonly exchange_account_id: string | null;
  readonly strategy_id: string | null;
  readonly trade_pair_id: string | null;
}

export interface Query {
  readonly from?: string;
  readonly to?: string;
  readonly exchange_account_id?: string;
  readonly strategy_id?: string;
  readonly trade_pair_id?: string;
}

const DAY_MS = 86_400_000;
const IDS = ['exchange_account_id', 'strategy_id', 'trade_pair_id'] as const;

/** Returns the query of the API, or what is wrong with the range. */
export function queryOf(selection: Selection, nowMs: number): { query: Query; error?: string } {
  const ids = Object.fromEntries(
    IDS.flatMap((name) => {
      const value = selection[name];
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
  if (selection.range !== 'custom') {
    const from = startOfRange(selection.range, nowMs);
    return { query: { ...(from === undefined ? {} : { from }), ...ids } };
  }
  const from = startOf(selection.from);
  const lastDay = startOf(selection.to);
  if (from !== undefined && lastDay !== undefined && from > lastDay)
    return { query: ids, error: 'The last day must not be before the first one. All days are shown.' };
  return {
    query: {
      ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
      // The range of the API ends before `to`.
      ...(lastDay === undefined ? {} : { to: new Date(lastDay + DAY_MS).toISOString() }),
      ...ids,
    },
  };
}

function startOf(day: string | null): number | undefined {
  if (day === null || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const ms = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
