import { inTransaction, type Tx, withAdvisoryLock } from '@trading-automation/persistence';
import { recordDayPrices } from '../performance/index.js';
import type { Platform } from '../platform/index.js';
import { BALANCES_KNOWN_AT, equitiesOf } from '../trade-pairs/index.js';

/**
 * The last snapshot of each five minutes is kept. Of days before yesterday, only the last snapshot of the day is kept.
 */
const PERIOD = "interval '5 minutes'";
const FULL_FOR = "interval '1 day'";
/** Older snapshots are already downsampled. Checking them again would cost more every day. */
const DOWNSAMPLED_WITHIN = "interval '32 days'";
/** The maximum age of balances from which equity is computed; older balances do not show the current equity. */
const BALANCES_AGE_MAX = "interval '1 hour'";
const ACCOUNTS_AT_ONCE = 1_000;
const REMOVED_AT_ONCE = 5_000;

interface AccountToValue {
  readonly id: string;
  readonly currencies: readonly string[];
}

/**
 * Records the equity of each account, in each quote currency in which the account has results. If it has none yet, the
 * currency is the quote currency of most pairs of its exchange.
 *
 * Equity is computed from balances and last prices, so it values open lots at their current price. Deposits and
 * withdrawals also change equity. Profit is therefore computed from fills and prices, never from equity. Equity is the
 * base of relative returns (`performance/equity-returns.rules.ts`). Also records the day's prices, by which open lots are
 * valued.
 */
export class EquitySnapshots {
  constructor(private readonly platform: Platform) {}

  /**
   * Takes a snapshot of every active account with a known equity. It is called about once a minute and runs in one
   * process at a time. Returns the number of snapshots; 0 if another process is taking them.
   */
  async take(): Promise<number> {
    const { database } = this.platform;
    const outcome = await withAdvisoryLock(database, 'equity snapshots', async (signal) => {
      let taken = 0;
      let after: string | undefined = '00000000-0000-0000-0000-000000000000';
      while (after !== undefined && !signal.aborted) {
        const from: string = after;
        const batch = await inTransaction(database, (tx) => takeBatch(tx, from));
        taken += batch.taken;
        after = batch.last;
      }
      await recordDayPrices(database.manager);
      for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE && !signal.aborted; )
        removed = await downsample(database.manager);
      return taken;
    });
    return outcome.acquired ? outcome.value : 0;
  }
}

/** Takes snapshots of the accounts that follow the id `after`. `last` is undefined if no account is left. */
async function takeBatch(tx: Tx, after: string): Promise<{ taken: number; last: string | undefined }> {
  const accounts: AccountToValue[] = await tx.query(
    `SELECT a.id, ARRAY (
         SELECT currency FROM equity_currencies c WHERE c.exchange_account_id = a.id
         UNION ALL SELECT u.quote WHERE NOT EXISTS (
           SELECT FROM equity_currencies c WHERE c.exchange_account_id = a.id)) AS currencies
     FROM exchange_accounts a
     LEFT JOIN (
       SELECT DISTINCT ON (exchange) exchange, quote FROM trade_pairs WHERE is_active
       GROUP BY exchange, quote ORDER BY exchange, count(*) DESC, quote) u ON u.exchange = a.exchange
     WHERE a.id > $1 AND a.deleted_at IS NULL AND a.is_active
       AND ${BALANCES_KNOWN_AT} > clock_timestamp() - ${BALANCES_AGE_MAX}
     ORDER BY a.id LIMIT $2`,
    [after, ACCOUNTS_AT_ONCE],
  );
  const idsByCurrency = new Map<string, string[]>();
  for (const { id, currencies } of accounts) {
    // The currency is null if the exchange lists no active pair; then the account cannot be valued.
    for (const currency of currencies.filter((each) => each !== null))
      idsByCurrency.set(currency, [...(idsByCurrency.get(currency) ?? []), id]);
  }
  let taken = 0;
  for (const [currency, ids] of idsByCurrency) taken += await recordEquities(tx, currency, ids);
  return { taken, last: accounts.length < ACCOUNTS_AT_ONCE ? undefined : accounts.at(-1)?.id };
}

/** Records the known equities of the accounts in one currency, and returns their number. */
async function recordEquities(tx: Tx, currency: string, ids: readonly string[]): Promise<number> {
  const known = [...(await equitiesOf(tx, ids, currency))].flatMap(([id, equity]) =>
    equity === null ? [] : [{ id, amount: equity.amount }],
  );
  const rows: unknown[] = await tx.query(
    `INSERT INTO equity_snapshots AS s (exchange_account_id, currency, period, taken_at, amount)
     SELECT known.id, $3, date_bin(${PERIOD}, now(), 'epoch'), now(), known.amount
     FROM unnest($1::uuid[], $2::numeric[]) AS known (id, amount)
     ON CONFLICT (exchange_account_id, currency, period) DO UPDATE
       SET taken_at = excluded.taken_at, amount = excluded.amount
     RETURNING 1`,
    [known.map(({ id }) => id), known.map(({ amount }) => amount), currency],
  );
  return rows.length;
}

/**
 * Deletes surplus snapshots and returns their number. An account's first snapshot is kept, because the return of the
 * first day is relative to it.
 */
async function downsample(tx: Tx): Promise<number> {
  const dayOf = (row: string) => `(${row}.period AT TIME ZONE 'UTC')::date`;
  const isOfAccount = 'o.exchange_account_id = s.exchange_account_id AND o.currency = s.currency';
  const [, removed]: [unknown, number] = await tx.query(
    `DELETE FROM equity_snapshots WHERE ctid = ANY (ARRAY (
       SELECT s.ctid FROM equity_snapshots s
       WHERE s.period < date_trunc('day', now() - ${FULL_FOR}, 'UTC') AND s.period > now() - ${DOWNSAMPLED_WITHIN}
         AND EXISTS (SELECT FROM equity_snapshots o
           WHERE ${isOfAccount} AND o.period > s.period AND ${dayOf('o')} = ${dayOf('s')})
         AND EXISTS (SELECT FROM equity_snapshots o WHERE ${isOfAccount} AND o.period < s.period)
       LIMIT ${REMOVED_AT_ONCE}))`,
  );
  return removed;
}
