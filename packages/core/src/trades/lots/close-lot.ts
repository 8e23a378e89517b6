/**
 * Places the market order that closes a lot.
 *
 * 1. The order closes this lot alone (`closes_lot_id`), whatever other lots of the pair are older.
 * 2. Orders in flight never add up to more than the lot. The account's lock orders this transaction and those that plan
 *    exits of copies; an exit waits while such an order is in flight.
 * 3. On perpetuals, the order is reduce-only where the net position agrees.
 * 4. Other trades may reduce the lot before the order is sent; `cap-closing-orders.ts` then reduces the order.
 */
import {
  type Decimal,
  DomainError,
  encodeId,
  type LotClose,
  type TradeDetail,
  type TradeSide,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { lockAccountForTrade } from '../../exchange-accounts/index.js';
import { type Actor, invalidState } from '../../operations/index.js';
import { type PairForTrade, pairForTrade } from '../../trade-pairs/index.js';
import { BigDecimal, floorToStep } from '../../values/index.js';
import { exposureOf } from '../exposure.queries.js';
import { mayReduceOnly } from '../exposure.rules.js';
import { violationsOf } from '../order.rules.js';
import { placeTrade, ruleViolated, type TradeSelection } from '../place-trade.js';
import { lockBooks } from './book-trades.js';
import { type LotToClose, readLotToClose } from './lot-records.queries.js';

export interface OwnLot {
  readonly id: string;
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
}

/** @throws {DomainError} `invalid_state` if nothing is left to close; otherwise as `placeTrade` */
export async function closeLot(
  tx: Tx,
  actor: Actor,
  { id, exchangeAccountId, tradePairId }: OwnLot,
  { fraction }: LotClose,
  returning: TradeSelection,
): Promise<TradeDetail> {
  const account = { exchange_account_id: encodeId('exa', exchangeAccountId) };
  const pairId = encodeId('tpr', tradePairId);
  await lockAccountForTrade(tx, actor, account.exchange_account_id);
  await lockBooks(tx, [{ exchangeAccountId, tradePairId }]);
  const lot = await readLotToClose(tx, id);
  // A late fill may have changed which fill opened the lot.
  if (lot === undefined) throw new DomainError('not_found');
  assertClosable(lot);
  const pair = await pairForTrade(tx, pairId);
  const available = floorToMarketStep(new BigDecimal(lot.availableAmount), pair);
  const requested = new BigDecimal(lot.openAmount).times(fraction);
  const amount = BigDecimal.min(floorToMarketStep(requested, pair), available).toString();
  const order = {
    type: 'MARKET',
    side: lot.side === 'BUY' ? 'SELL' : 'BUY',
    time_in_force: 'GTC',
    amount,
  } as const;
  const reduceOnly =
    pair.tradingType === 'perpetual' && (await agreesWithPosition(tx, order, exchangeAccountId, tradePairId));
  const violations = violationsOf({ ...order, timeInForce: order.time_in_force, reduceOnly }, pair);
  if (violations.length > 0) throw ruleViolated(violations, 'fraction');
  const input = {
    ...account,
    ...order,
    trade_pair_id: pairId,
    reduce_only: reduceOnly,
    auto_borrow: false,
  };
  const intent =
    amount === floorToMarketStep(new BigDecimal(lot.openAmount), pair).toString() ? 'CLOSE' : 'REDUCE';
  return placeTrade(tx, actor, input, returning, { closesLotId: id, intent, isExit: true });
}

/** Whether the order reduces the net position. Lots of other owners may outweigh the lot; the order then increases it. */
async function agreesWithPosition(
  tx: Tx,
  { side, amount }: { readonly side: TradeSide; readonly amount: Decimal },
  accountId: string,
  pairId: string,
): Promise<boolean> {
  const { net } = await exposureOf(tx, accountId, pairId);
  return mayReduceOnly(side, amount, net);
}

function assertClosable({ openAmount, availableAmount }: LotToClose): void {
  if (new BigDecimal(openAmount).isZero())
    throw invalidState('The lot is closed. Choose a lot with the status OPEN.', 'CLOSED');
  if (new BigDecimal(availableAmount).isZero()) {
    const message =
      'Orders that close the rest of the lot are open. Wait until they have ended, or cancel them.';
    throw invalidState(message, 'CLOSING');
  }
}

/** Rounds down to the step of market orders; the amount step divides it. */
export function floorToMarketStep(amount: BigDecimal, pair: PairForTrade): BigDecimal {
  const step = BigDecimal.max(pair.amountStep, pair.marketAmountStep ?? 0);
  return step.isZero() ? amount : floorToStep(amount, step);
}
