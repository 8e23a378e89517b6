import {
  assetsOfSymbol,
  canonicalDecimal,
  DECIMAL_SCALE,
  encodeId,
  type Fill,
  type Trade,
  type TradeCopy,
  type TradeDetail,
  type TradeIntent,
  type TradeSide,
} from '@trading-automation/contracts';
import { BigDecimal, coarse, divideDecimals, formatInstant } from '../values/index.js';
import type { FillEntity } from './fill.entity.js';
import type { StoredCopy, TradeEntity } from './trade.entity.js';

/** The columns that `viewTrade` needs; queries for views select only these. */
export const TRADE_VIEW_COLUMNS = [
  'id',
  'exchangeAccountId',
  'tradePairId',
  'symbol',
  'tradingType',
  'strategyId',
  'copierId',
  'sourceTradeId',
  'closesLotId',
  'sourceFillId',
  'copy',
  'copiesOwnStrategy',
  'clientOrderId',
  'exchangeOrderId',
  'origin',
  'type',
  'side',
  'intent',
  'positionSide',
  'reduceOnly',
  'autoBorrow',
  'timeInForce',
  'price',
  'stopPrice',
  'amount',
  'requestedAmount',
  'filledAmount',
  'cost',
  'fees',
  'realizedPnl',
  'status',
  'subStatus',
  'failureCode',
  'failureMessage',
  'cancelReason',
  'reconciledAt',
  'version',
  'submittedAt',
  'filledAt',
  'cancelledAt',
  'closedAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof TradeEntity)[];

export type TradeViewRow = Pick<TradeEntity, (typeof TRADE_VIEW_COLUMNS)[number]>;

export const FILL_VIEW_COLUMNS = [
  'id',
  'exchangeFillId',
  'price',
  'amount',
  'feeAmount',
  'symbol',
  'feeCurrency',
  'feeValue',
  'liquidity',
  'executedAt',
] as const satisfies readonly (keyof FillEntity)[];

export type FillViewRow = Pick<FillEntity, (typeof FILL_VIEW_COLUMNS)[number]>;

/**
 * Returns a trade as its user may see it. Of a copy of another user's strategy, the ratio and the requested
 * amount have two significant digits, because exact values reveal the amounts of the strategy's account.
 */
export function viewTrade(trade: TradeViewRow): Trade {
  const amount = canonicalDecimal(trade.amount);
  const filledAmount = canonicalDecimal(trade.filledAmount);
  const isUnfilled = filledAmount === '0';
  return {
    id: encodeId('trd', trade.id),
    exchange_account_id: encodeId('exa', trade.exchangeAccountId),
    trade_pair_id: encodeId('tpr', trade.tradePairId),
    symbol: trade.symbol,
    trading_type: trade.tradingType,
    strategy_id: trade.strategyId === null ? undefined : encodeId('str', trade.strategyId),
    copier_id: trade.copierId === null ? undefined : encodeId('cpr', trade.copierId),
    closes_lot_id: trade.closesLotId === null ? undefined : encodeId('lot', trade.closesLotId),
    source_trade_id: trade.sourceTradeId === null ? undefined : encodeId('trd', trade.sourceTradeId),
    source_fill_id: trade.sourceFillId === null ? undefined : encodeId('fil', trade.sourceFillId),
    client_order_id: trade.clientOrderId,
    exchange_order_id: trade.exchangeOrderId ?? undefined,
    origin: trade.origin,
    type: trade.type,
    side: trade.side,
    intent: trade.intent ?? intentOf(trade.side),
    position_side: trade.positionSide ?? undefined,
    reduce_only: trade.reduceOnly,
    auto_borrow: trade.autoBorrow,
    time_in_force: trade.timeInForce,
    price: optionalDecimal(trade.price),
    stop_price: optionalDecimal(trade.stopPrice),
    amount,
    requested_amount: trade.requestedAmount === null ? amount : requestedAmount(trade, trade.requestedAmount),
    filled_amount: filledAmount,
    remaining_amount: isUnfilled ? amount : remaining(amount, filledAmount),
    average_price: isUnfilled ? undefined : averagePrice(trade),
    cost: canonicalDecimal(trade.cost),
    fee: trade.fees[0] ?? { amount: '0', currency: assetsOfSymbol(trade.symbol).settle },
    fees_by_currency: [...trade.fees],
    realized_pnl: optionalDecimal(trade.realizedPnl),
    status: trade.status,
    sub_status: trade.subStatus ?? undefined,
    failure:
      trade.failureCode === null
        ? undefined
        : { code: trade.failureCode, message: trade.failureMessage ?? '' },
    cancel_reason: trade.cancelReason ?? undefined,
    copy: trade.copy === null ? undefined : viewCopy(trade, trade.copy),
    reconciled_at: optionalInstant(trade.reconciledAt),
    version: trade.version,
    submitted_at: optionalInstant(trade.submittedAt),
    filled_at: optionalInstant(trade.filledAt),
    cancelled_at: optionalInstant(trade.cancelledAt),
    closed_at: optionalInstant(trade.closedAt),
    created_at: formatInstant(trade.createdAt),
    updated_at: formatInstant(trade.updatedAt),
  };
}

function viewCopy(trade: TradeViewRow, copy: StoredCopy): TradeCopy {
  const receivedAt = new Date(copy.received_at);
  const { submittedAt } = trade;
  return {
    signal_at: formatInstant(new Date(copy.signal_at)),
    received_at: formatInstant(receivedAt),
    submitted_at: optionalInstant(submittedAt),
    latency_ms: submittedAt === null ? undefined : Math.max(0, submittedAt.getTime() - receivedAt.getTime()),
    reference_price: copy.reference_price,
    slippage_bps: slippageOf(trade, copy.reference_price),
    ratio: isMasked(trade) ? coarse(copy.masked_ratio ?? copy.ratio) : copy.ratio,
  };
}

const isMasked = ({ copy, copiesOwnStrategy }: TradeViewRow) => copy !== null && copiesOwnStrategy !== true;

const requestedAmount = (trade: TradeViewRow, amount: string) =>
  isMasked(trade) ? coarse(trade.copy?.masked_amount ?? amount) : canonicalDecimal(amount);

const BASIS_POINTS = 10_000;

/**
 * Returns the slippage in basis points of the reference price; undefined if nothing is filled. It is positive if the
 * trade's price was worse than the reference price.
 */
function slippageOf({ side, cost, filledAmount }: TradeViewRow, referencePrice: string): string | undefined {
  const referenceCost = new BigDecimal(referencePrice).times(filledAmount);
  if (referenceCost.isZero()) return undefined;
  const loss = side === 'BUY' ? new BigDecimal(cost).minus(referenceCost) : referenceCost.minus(cost);
  return loss.times(BASIS_POINTS).div(referenceCost).toDecimalPlaces(SLIPPAGE_DECIMALS).toString();
}

const SLIPPAGE_DECIMALS = 4;

/** Returns the intent on spot: a buy opens, a sell reduces. */
export const intentOf = (side: TradeSide): TradeIntent => (side === 'BUY' ? 'OPEN' : 'REDUCE');

export function viewTradeDetail(trade: TradeViewRow, fills: readonly FillViewRow[]): TradeDetail {
  return { ...viewTrade(trade), fills: fills.map(viewFill) };
}

export function viewFill(fill: FillViewRow): Fill {
  return {
    id: encodeId('fil', fill.id),
    exchange_fill_id: fill.exchangeFillId,
    price: canonicalDecimal(fill.price),
    amount: canonicalDecimal(fill.amount),
    fee: { amount: canonicalDecimal(fill.feeAmount), currency: fill.feeCurrency },
    fee_value: feeValueOf(fill),
    liquidity: fill.liquidity,
    executed_at: formatInstant(fill.executedAt),
  };
}

/** Returns the value of the fill's fee in quote currency; null if it is not known yet. */
function feeValueOf({ symbol, price, feeAmount, feeCurrency, feeValue }: FillViewRow): string | null {
  const { base, quote } = assetsOfSymbol(symbol);
  const fee = new BigDecimal(feeAmount);
  if (fee.isZero() || feeCurrency === quote) return canonicalDecimal(feeAmount);
  if (feeCurrency !== base) return feeValue === null ? null : canonicalDecimal(feeValue);
  return fee.times(price).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_HALF_EVEN).toString();
}

const optionalDecimal = (value: string | null) => (value === null ? undefined : canonicalDecimal(value));
const optionalInstant = (instant: Date | null) => (instant === null ? undefined : formatInstant(instant));

/** Returns the remaining amount. It is never negative, although an exchange may fill more than the order's amount. */
function remaining(amount: string, filled: string): string {
  if (amount === filled) return '0';
  const rest = new BigDecimal(amount).minus(filled);
  return rest.isNegative() ? '0' : rest.toString();
}

/** Returns the average price, rounded. The `cost` and the `filled_amount` of the trade are exact. */
const averagePrice = ({ cost, filledAmount }: TradeViewRow) => divideDecimals(cost, filledAmount);
