import {
  canonicalDecimal,
  encodeId,
  type Fill,
  type Trade,
  type TradeDetail,
} from '@trading-automation/contracts';
import { Exact, quotientOf } from '../decimal-arithmetic.js';
import { instantText } from '../instant-text.js';
import type { FillEntity } from './fill.entity.js';
import type { TradeEntity } from './trade.entity.js';

/** What is shown of a trade; whoever shows many reads no more than that. */
export const SHOWN_OF_TRADE = [
  'id',
  'exchangeAccountId',
  'tradePairId',
  'symbol',
  'tradingType',
  'strategyId',
  'copierId',
  'sourceTradeId',
  'clientOrderId',
  'exchangeOrderId',
  'origin',
  'type',
  'side',
  'reduceOnly',
  'timeInForce',
  'price',
  'stopPrice',
  'amount',
  'filledAmount',
  'cost',
  'fees',
  'realizedPnl',
  'status',
  'subStatus',
  'failureCode',
  'failureMessage',
  'cancelReason',
  'version',
  'submittedAt',
  'filledAt',
  'cancelledAt',
  'closedAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof TradeEntity)[];

export type ShownTrade = Pick<TradeEntity, (typeof SHOWN_OF_TRADE)[number]>;

export const SHOWN_OF_FILL = [
  'id',
  'exchangeFillId',
  'price',
  'amount',
  'feeAmount',
  'feeCurrency',
  'liquidity',
  'executedAt',
] as const satisfies readonly (keyof FillEntity)[];

export type ShownFill = Pick<FillEntity, (typeof SHOWN_OF_FILL)[number]>;

export function viewTrade(trade: ShownTrade): Trade {
  const amount = canonicalDecimal(trade.amount);
  const filledAmount = canonicalDecimal(trade.filledAmount);
  const isUnfilled = filledAmount === '0';
  const currency = trade.symbol.slice(trade.symbol.indexOf('/') + 1);
  return {
    id: encodeId('trd', trade.id),
    exchange_account_id: encodeId('exa', trade.exchangeAccountId),
    trade_pair_id: encodeId('tpr', trade.tradePairId),
    symbol: trade.symbol,
    trading_type: trade.tradingType,
    strategy_id: trade.strategyId === null ? undefined : encodeId('str', trade.strategyId),
    copier_id: trade.copierId === null ? undefined : encodeId('cpr', trade.copierId),
    source_trade_id: trade.sourceTradeId === null ? undefined : encodeId('trd', trade.sourceTradeId),
    client_order_id: trade.clientOrderId,
    exchange_order_id: trade.exchangeOrderId ?? undefined,
    origin: trade.origin,
    type: trade.type,
    side: trade.side,
    reduce_only: trade.reduceOnly,
    time_in_force: trade.timeInForce,
    price: optional(trade.price),
    stop_price: optional(trade.stopPrice),
    amount,
    filled_amount: filledAmount,
    remaining_amount: isUnfilled ? amount : remaining(amount, filledAmount),
    average_price: isUnfilled ? undefined : averagePrice(trade),
    cost: canonicalDecimal(trade.cost),
    fee: trade.fees[0] ?? { amount: '0', currency },
    fees_by_currency: [...trade.fees],
    realized_pnl: optional(trade.realizedPnl),
    status: trade.status,
    sub_status: trade.subStatus ?? undefined,
    failure:
      trade.failureCode === null
        ? undefined
        : { code: trade.failureCode, message: trade.failureMessage ?? '' },
    cancel_reason: trade.cancelReason ?? undefined,
    version: trade.version,
    submitted_at: optionalInstant(trade.submittedAt),
    filled_at: optionalInstant(trade.filledAt),
    cancelled_at: optionalInstant(trade.cancelledAt),
    closed_at: optionalInstant(trade.closedAt),
    created_at: instantText(trade.createdAt),
    updated_at: instantText(trade.updatedAt),
  };
}

export function viewTradeDetail(trade: ShownTrade, fills: readonly ShownFill[]): TradeDetail {
  return { ...viewTrade(trade), fills: fills.map(viewFill) };
}

function viewFill(fill: ShownFill): Fill {
  return {
    id: encodeId('fil', fill.id),
    exchange_fill_id: fill.exchangeFillId,
    price: canonicalDecimal(fill.price),
    amount: canonicalDecimal(fill.amount),
    fee: { amount: canonicalDecimal(fill.feeAmount), currency: fill.feeCurrency },
    liquidity: fill.liquidity,
    executed_at: instantText(fill.executedAt),
  };
}

const optional = (text: string | null) => (text === null ? undefined : canonicalDecimal(text));
const optionalInstant = (instant: Date | null) => (instant === null ? undefined : instantText(instant));

/** Never below zero: an exchange may fill a little more than was asked for. */
function remaining(amount: string, filled: string): string {
  if (amount === filled) return '0';
  const rest = new Exact(amount).minus(filled);
  return rest.isNegative() ? '0' : rest.toString();
}

/** Rounded; `cost` and `filled_amount` are the exact figures. */
const averagePrice = ({ cost, filledAmount }: ShownTrade) => quotientOf(cost, filledAmount);
