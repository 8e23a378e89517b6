/**
 * Caps orders that close a lot when they are sent. Between its request and its submission, a sale by hand or an exit may
 * have reduced the lot. The order is then sent with what is left of the lot, or not at all, so it never sells the amount
 * of other lots.
 */
import { type Decimal, encodeId } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { pairForTrade } from '../../trade-pairs/index.js';
import { BigDecimal } from '../../values/index.js';
import { type OrderToCheck, violationsOf } from '../order.rules.js';
import { type LotBookKey, lockBooks } from './book-trades.js';
import { floorToMarketStep } from './close-lot.js';
import { closableAmount } from './lot-records.queries.js';

/** A locked trade that is about to be sent. */
export interface ClosingOrder extends Pick<OrderToCheck, 'type' | 'side' | 'timeInForce'> {
  readonly reduceOnly: boolean;
  readonly id: string;
  readonly tradePairId: string;
  /** The lot that the order closes; null for other orders. */
  readonly closesLotId: string | null;
  readonly amount: Decimal;
  cappedAmount: Decimal | null;
}

/** Locks the lot books of those trades that close a lot and are not sent yet. Call this before the trades are locked. */
export async function lockBooksOfClosingOrders(tx: Tx, tradeIds: readonly string[]): Promise<void> {
  const keys = await queryPrepared<LotBookKey & Record<string, unknown>>(
    tx,
    `SELECT DISTINCT exchange_account_id AS "exchangeAccountId", trade_pair_id AS "tradePairId" FROM trades
     WHERE id = ANY ($1) AND closes_lot_id IS NOT NULL AND status = 'PENDING' AND submitted_at IS NULL`,
    [tradeIds],
  );
  await lockBooks(tx, keys);
}

/**
 * Stores in each trade that closes a lot how much of it may be sent, if that is less than its amount. Returns the ids of
 * the trades of which nothing can be sent: their lot is closed, or what is left is below the exchange's minimum.
 */
export async function capClosingOrders(
  tx: Tx,
  trades: readonly ClosingOrder[],
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  const claimed: string[] = [];
  for (const trade of trades) {
    const { id, closesLotId } = trade;
    if (closesLotId === null) continue;
    const available = await closableAmount(tx, { id, closesLotId }, claimed);
    if (new BigDecimal(available).lt(trade.amount)) {
      const amount = await sendableAmount(tx, trade, available);
      if (amount === null) {
        refused.add(id);
        continue;
      }
      trade.cappedAmount = amount;
      await queryPrepared(tx, 'UPDATE trades SET capped_amount = $2 WHERE id = $1', [id, amount]);
    }
    claimed.push(id);
  }
  return refused;
}

/** Rounds down to what the exchange accepts; null if it accepts no such order. */
async function sendableAmount(tx: Tx, trade: ClosingOrder, available: Decimal): Promise<Decimal | null> {
  const pair = await pairForTrade(tx, encodeId('tpr', trade.tradePairId));
  const amount = floorToMarketStep(new BigDecimal(available), pair);
  if (amount.isZero()) return null;
  const { type, side, timeInForce, reduceOnly } = trade;
  const order = { type, side, timeInForce, reduceOnly, amount: amount.toString() };
  return violationsOf(order, pair).length === 0 ? order.amount : null;
}
