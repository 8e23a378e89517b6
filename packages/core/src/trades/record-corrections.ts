/** Records what an account lacks, and positions that differ, as RECONCILIATION trades. */
import { assetsOfSymbol, type Decimal, encodeId } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { allColumns, hydrate, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { BigDecimal } from '../values/index.js';
import { NET_OF_LOTS } from './exposure.queries.js';
import { lockBooks } from './lots/book-trades.js';
import type { ReconcileAction } from './reconcile.rules.js';
import { emitTradeEvents, type OrderReport, storeReports } from './store-order-reports.js';
import { TradeEntity } from './trade.entity.js';

type Action = ReconcileAction<VenueOrder, VenueFill>;
type Correction = Extract<Action, { readonly kind: 'write_off' | 'correct_position' }>;

/**
 * Writes off confirmed shortfalls and corrects positions. The real proceeds of a missing asset are unknown, so it is valued
 * at the last known price; a position at the mark price.
 *
 * @returns the ids of the RECONCILIATION trades
 */
export async function recordCorrections(
  tx: Tx,
  accountId: string,
  actions: readonly Action[],
): Promise<string[]> {
  const reports: OrderReport[] = [];
  const corrections = actions.filter(isCorrection);
  // No lot may close between the check of a write-off and its booking: on margin, the rest would open a short lot.
  await lockBooks(
    tx,
    corrections.flatMap((action) =>
      action.kind === 'write_off' ? [{ exchangeAccountId: accountId, tradePairId: action.pairId }] : [],
    ),
  );
  for (const action of corrections) {
    const held = action.kind === 'write_off' ? await heldOf(tx, accountId, action.pairId) : null;
    const amount = held === null ? action.amount : BigDecimal.min(action.amount, held).toString();
    if (new BigDecimal(amount).isZero()) continue;
    const report = await insertCorrection(tx, accountId, { ...action, amount });
    if (report !== null) reports.push(report);
  }
  await storeReports(tx, reports, { isReconciliation: true });
  return reports.map(({ tradeId }) => tradeId);
}

const isCorrection = (action: Action): action is Correction =>
  action.kind === 'write_off' || action.kind === 'correct_position';

/** Returns the sum of the account's long lots of a pair. */
async function heldOf(tx: Tx, accountId: string, pairId: string): Promise<Decimal> {
  const [row] = await queryPrepared<{ held: Decimal }>(
    tx,
    `SELECT trim_scale(coalesce(sum(open_amount), 0))::text AS held FROM lots
     WHERE exchange_account_id = $1 AND trade_pair_id = $2 AND side = 'BUY' AND open_amount > 0`,
    [accountId, pairId],
  );
  return row!.held;
}

/** Returns null for a position in a market that the product does not offer, or if no price is known. */
async function insertCorrection(tx: Tx, accountId: string, action: Correction): Promise<OrderReport | null> {
  const id = newUuid();
  const orderId = encodeId('trd', id);
  const { symbol, amount } = action;
  const isPosition = action.kind === 'correct_position';
  const side = isPosition ? action.side : 'SELL';
  const [priced] = await queryPrepared<{ price: Decimal | null; now: Date }>(tx, CORRECTION_PRICE, [
    accountId,
    symbol,
    isPosition ? action.markPrice : null,
  ]);
  if (priced === undefined || priced.price === null) return null;
  const rows = await queryPrepared(tx, INSERT_CORRECTION(tx.connection), [
    id,
    accountId,
    symbol,
    orderId,
    amount,
    side,
  ]);
  const [trade] = hydrate(tx.connection, TradeEntity, rows);
  if (trade === undefined) throw new Error(`account ${accountId} or its pair ${symbol} does not exist`);
  await emitTradeEvents(tx, [{ trade, type: 'trade.created' }]);
  const { price, now } = priced;
  const order = { ...endedOrder(trade, orderId), createdAt: now, updatedAt: now };
  const fill: VenueFill = {
    exchangeFillId: orderId,
    exchangeOrderId: orderId,
    symbol,
    side,
    price,
    amount,
    fee: { amount: '0', currency: assetsOfSymbol(symbol).settle },
    liquidity: 'TAKER',
    executedAt: now,
  };
  return { tradeId: id, order, fills: [fill] };
}

function endedOrder({ symbol, amount, side }: TradeEntity, orderId: string) {
  return {
    exchangeOrderId: orderId,
    venueClientOrderId: orderId,
    symbol,
    status: 'FILLED',
    side,
    type: 'MARKET',
    timeInForce: 'GTC',
    amount,
    filledAmount: amount,
  } as const;
}

/** Joins an account with its pair of a symbol. */
const ACCOUNT_PAIR = (symbol: string) => `exchange_accounts a
  JOIN trade_pairs p ON p.exchange = a.exchange AND p.trading_type = a.trading_type AND p.symbol = ${symbol}`;

/** A correction against the net position reduces it; any other one opens or increases a position. */
const INSERT_CORRECTION = allColumns(
  TradeEntity,
  't',
  (columns) => `
  INSERT INTO trades AS t (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type,
    client_order_id, venue_client_order_id, exchange_order_id, origin, type, side, intent, position_side, is_exit, reduce_only,
    time_in_force, amount, requested_amount, reserved_asset, reserved_amount, status, look_at, submitted_at,
    reconciled_at)
  SELECT $1, a.user_id, a.id, p.id, p.symbol, a.trading_type, $4, $4, $4, 'RECONCILIATION', 'MARKET', $6,
    CASE WHEN a.trading_type <> 'perpetual' OR net.reduces THEN 'REDUCE' ELSE 'OPEN' END,
    CASE WHEN a.trading_type = 'perpetual' THEN CASE WHEN ($6 = 'BUY') = net.reduces THEN 'SHORT' ELSE 'LONG' END END,
    true, false, 'GTC', $5, $5, CASE WHEN a.trading_type = 'perpetual' THEN coalesce(p.settle, p.quote) ELSE p.base END, 0,
    'PENDING', clock_timestamp(), clock_timestamp(), clock_timestamp()
  FROM ${ACCOUNT_PAIR('$3')}
  CROSS JOIN LATERAL (SELECT ${NET_OF_LOTS('a.id', 'p.id')} * CASE $6 WHEN 'BUY' THEN -1 ELSE 1 END > 0 AS reduces) net
  WHERE a.id = $2
  RETURNING ${columns}`,
);

/**
 * Selects the given mark price, else the last price; if both are unknown, the average cost of the lots, which gives neither
 * profit nor loss. No row without such a pair.
 */
const CORRECTION_PRICE = `SELECT clock_timestamp() AS now, trim_scale(coalesce($3::numeric, p.last_price,
    (SELECT round(sum(l.open_value) / sum(l.open_amount), 18) FROM lots l
     WHERE l.exchange_account_id = a.id AND l.trade_pair_id = p.id AND l.open_amount > 0)))::text AS price
  FROM ${ACCOUNT_PAIR('$2')} WHERE a.id = $1`;
