/**
 * Compares an account with its exchange when a connection starts and at intervals. reconcile.rules.ts decides what to
 * do; this class reads our records and writes the result.
 *
 * 1. Each comparison requests fills from 60 s before the last complete comparison, so that it also finds fills that the
 *    exchange reports late.
 * 2. A difference is never hidden. It becomes a trade: EXTERNAL if an order was placed outside the product,
 *    RECONCILIATION if an asset is missing or a position differs. Both emit the events of any trade.
 * 3. On margin, the interest of the account is read before a shortfall is recorded.
 * 4. An asset counts as missing, and a position as different, only if every comparison over at least 20 s shows it. An exchange may update
 *    balances later than fills, and two comparisons may follow each other closely.
 */
import type { Decimal } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { inTransaction, queryPrepared, type Tx } from '@trading-automation/persistence';
import { Batcher, type Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { type AccountExposure, accountExposures } from './account-exposures.queries.js';
import {
  type AccountState,
  endedTradesOf,
  MISSING_FOR_MS,
  readInterest,
  readState,
  type Totals,
} from './account-state.queries.js';
import { adoptOrders } from './adopt-orders.js';
import {
  type KnownTrade,
  lesserDifference,
  type ReconcileAction,
  type Shortfalls,
  unknownOrders,
} from './reconcile.rules.js';
import { recordCorrections } from './record-corrections.js';

/** A complete comparison: its instants as `state` returned them, and the totals that were compared. */
interface Comparison extends Pick<AccountState, 'at' | 'reconciledAt'> {
  readonly totals: Totals;
}

type Action = ReconcileAction<VenueOrder, VenueFill>;

export class Reconciliation {
  private readonly exposures: Batcher<string, AccountExposure>;

  constructor(private readonly platform: Platform) {
    this.exposures = new Batcher((ids) => accountExposures(platform.database, ids));
  }

  /** Returns what depends on the state of the account. Concurrent calls share one statement. */
  exposureOf(accountId: string): Promise<AccountExposure> {
    return this.exposures.add(accountId);
  }

  /** Reads our view of the account from one database snapshot. @throws if the account does not exist */
  async state(accountId: string): Promise<AccountState> {
    return inTransaction(this.platform.database, (tx) => readState(tx, accountId), {
      isolation: 'REPEATABLE READ',
    });
  }

  /**
   * Returns the trades of the state, and those of ours that ended earlier and whose order the exchange shows as open. For
   * example, the exchange may list the pair again after it had removed it.
   */
  async tradesWith(
    accountId: string,
    { trades }: Pick<AccountState, 'trades'>,
    openOrders: readonly VenueOrder[],
  ): Promise<readonly KnownTrade[]> {
    const unknown = unknownOrders(trades, openOrders);
    return [...trades, ...(await endedTradesOf(this.platform.database.manager, accountId, unknown))];
  }

  /** Returns all interest that was charged to the account, by asset. */
  interestOf(accountId: string): Promise<Totals> {
    return readInterest(this.platform.database.manager, accountId);
  }

  /**
   * Carries out the actions that change the database and returns the ids of the changed trades. It also records that
   * the account was compared at `state.at`, so call it only with the result of a complete comparison. For each
   * `identify` action, first fetch the order and pass an `adopt` action instead. If the exchange does not know the
   * order, pass the `identify` action: its fills alone become a trade. The caller makes the probes and cancellations.
   *
   * @param state the instant of the comparison, the last one that it knew of, and the totals that were compared
   */
  async apply(
    accountId: string,
    state: Comparison,
    actions: readonly Action[],
  ): Promise<ReadonlySet<string>> {
    const { database } = this.platform;
    const orders = actions.flatMap(ordersIn);
    const fills = actions.flatMap((action) => ('fills' in action ? action.fills : []));
    const adopted =
      orders.length + fills.length === 0
        ? []
        : await inTransaction(database, (tx) =>
            adoptOrders(tx, { accountId, orders, fills, isReconciliation: true }),
          );
    const writtenOff = await inTransaction(database, async (tx) => {
      const isNext = await recordReconciliation(tx, accountId, state, shortfallsIn(actions));
      return isNext ? recordCorrections(tx, accountId, actions) : [];
    });
    return new Set([...adopted, ...writtenOff]);
  }
}

function ordersIn(action: Action): VenueOrder[] {
  if (action.kind === 'identify') return [orderOfFills(action.fills)];
  if (action.kind === 'store' || action.kind === 'adopt') return action.order === null ? [] : [action.order];
  return [];
}

/** Builds the order of fills if the exchange shows only the fills. The order's amount is the sum of the fills. */
function orderOfFills(fills: readonly VenueFill[]): VenueOrder {
  const { symbol, exchangeOrderId, side, executedAt, cause } = fills[0]!;
  const amount = fills.reduce((sum, fill) => sum.plus(fill.amount), new BigDecimal(0)).toString();
  return {
    exchangeOrderId,
    venueClientOrderId: '',
    symbol,
    status: 'FILLED',
    side,
    type: 'MARKET',
    timeInForce: 'GTC',
    amount,
    filledAmount: amount,
    cause,
    createdAt: executedAt,
    updatedAt: executedAt,
  };
}

const shortfallsIn = (actions: readonly Action[]): Shortfalls =>
  actions.find((action) => action.kind === 'record_shortfalls')?.shortfalls ?? {};

/**
 * Stores the instant, the totals and the shortfalls of a comparison. Of shortfalls first seen less than 20 s ago, it
 * keeps the assets that this comparison shows too, each with the smaller amount. If there is no such asset, it stores
 * the new shortfalls instead.
 *
 * @returns false if this comparison or a later one is already stored, or if another one was stored after this one had read the
 *   state: that one may have corrected the same shortfall. This comparison then confirms none.
 */
async function recordReconciliation(
  tx: Tx,
  accountId: string,
  { at, reconciledAt, totals }: Comparison,
  missing: Shortfalls,
): Promise<boolean> {
  const last = await lockLast(tx, accountId);
  const recent = await recentShortfalls(tx, accountId, at);
  const common = recent === null ? {} : lesserOf(recent.shortfalls, missing);
  const isRepeated = recent !== null && Object.keys(common).length > 0;
  const rows = await queryPrepared(
    tx,
    `INSERT INTO reconciliations AS r (exchange_account_id, shortfalls, reconciled_at, suspected_at, totals)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (exchange_account_id) DO UPDATE SET shortfalls = excluded.shortfalls,
       reconciled_at = excluded.reconciled_at, suspected_at = excluded.suspected_at, totals = excluded.totals
       WHERE r.reconciled_at < excluded.reconciled_at
     RETURNING 1`,
    [
      accountId,
      JSON.stringify(isRepeated ? common : missing),
      at,
      isRepeated ? recent.suspectedAt : at,
      JSON.stringify(totals),
    ],
  );
  return rows.length > 0 && last?.getTime() === reconciledAt?.getTime();
}

/** Returns the instant of the stored comparison. */
async function lockLast(tx: Tx, accountId: string): Promise<Date | undefined> {
  const [last] = await queryPrepared<{ at: Date }>(
    tx,
    'SELECT reconciled_at AS at FROM reconciliations WHERE exchange_account_id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  return last?.at;
}

/** Returns the stored shortfalls and the instant of their first comparison; null if they are at least 20 s old. */
async function recentShortfalls(
  tx: Tx,
  accountId: string,
  at: Date,
): Promise<{ shortfalls: Shortfalls; suspectedAt: Date } | null> {
  const [recent] = await queryPrepared<{ shortfalls: Shortfalls; suspectedAt: Date }>(
    tx,
    `SELECT shortfalls, suspected_at AS "suspectedAt" FROM reconciliations
     WHERE exchange_account_id = $1 AND suspected_at > $2::timestamptz - $3 * interval '1 millisecond'
     FOR NO KEY UPDATE`,
    [accountId, at, MISSING_FOR_MS],
  );
  return recent ?? null;
}

/** Returns the smaller shortfall of each asset, and the smaller difference of each symbol, that is in both `a` and `b`. */
function lesserOf(a: Shortfalls, b: Shortfalls): Shortfalls {
  const both: Record<string, Decimal> = {};
  for (const [asset, amount] of Object.entries(a)) {
    const other = b[asset];
    const lesser = lesserDifference(new BigDecimal(amount), new BigDecimal(other ?? 0));
    if (!lesser.isZero()) both[asset] = lesser.toString();
  }
  return both;
}
