import {
  canonicalDecimal,
  DECIMAL_SCALE,
  type Decimal,
  encodeId,
  type Lot,
  type TradingType,
} from '@trading-automation/contracts';
import { BigDecimal, formatInstant } from '../../values/index.js';
import type { LotEntity } from './lot.entity.js';

/** A lot with what its view needs of its pair and of its fills. */
export interface LotViewRow
  extends Pick<
    LotEntity,
    | 'id'
    | 'exchangeAccountId'
    | 'tradePairId'
    | 'symbol'
    | 'copierId'
    | 'strategyId'
    | 'sourceTradeId'
    | 'tradeId'
    | 'side'
    | 'openedAmount'
    | 'openAmount'
    | 'openedValue'
    | 'openValue'
    | 'pnl'
    | 'isDetached'
    | 'openedAt'
    | 'closedAt'
  > {
  readonly tradingType: TradingType;
  /** The price of the opening fill. */
  readonly entryPrice: Decimal;
  readonly lastPrice: Decimal | null;
  /** The sums of entry value and of price × amount over the closures; null without one. */
  readonly closedValue: Decimal | null;
  readonly closedTurnover: Decimal | null;
  readonly hasUnvaluedFee: boolean;
  /** The sum of the lot's parts of funding and interest; null without one. */
  readonly funding: Decimal | null;
}

export function viewLot(row: LotViewRow): Lot {
  return {
    id: encodeId('lot', row.id),
    exchange_account_id: encodeId('exa', row.exchangeAccountId),
    trade_pair_id: encodeId('tpr', row.tradePairId),
    symbol: row.symbol,
    trading_type: row.tradingType,
    trade_id: encodeId('trd', row.tradeId),
    strategy_id: row.strategyId === null ? undefined : encodeId('str', row.strategyId),
    copier_id: row.copierId === null ? undefined : encodeId('cpr', row.copierId),
    source_trade_id:
      row.copierId === null || row.sourceTradeId === null ? undefined : encodeId('trd', row.sourceTradeId),
    side: row.side,
    status: row.closedAt === null ? 'OPEN' : 'CLOSED',
    amount: canonicalDecimal(row.openedAmount),
    remaining_amount: canonicalDecimal(row.openAmount),
    entry_price: canonicalDecimal(row.entryPrice),
    cost: money(new BigDecimal(row.openedValue)),
    remaining_cost: money(new BigDecimal(row.openValue)),
    fees: money(feesOf(row)),
    fees_incomplete: row.hasUnvaluedFee,
    realized_pnl: money(new BigDecimal(row.pnl)),
    unrealized_pnl: unrealizedOf(row),
    funding: money(new BigDecimal(row.funding ?? 0)),
    is_detached: row.isDetached,
    opened_at: formatInstant(row.openedAt),
    closed_at: row.closedAt === null ? undefined : formatInstant(row.closedAt),
    created_at: formatInstant(row.openedAt),
  };
}

/**
 * Returns the fees of both sides. Values contain the fees, and price × amount does not, so the difference is the fee,
 * whatever the currency in which it was paid.
 */
function feesOf({
  side,
  entryPrice,
  openedAmount,
  openedValue,
  closedTurnover,
  closedValue,
  pnl,
}: LotViewRow) {
  const entry = new BigDecimal(openedValue).minus(new BigDecimal(entryPrice).times(openedAmount));
  // The value at exit: of a sale the proceeds after fees, of a purchase the cost after fees.
  const closed = new BigDecimal(closedValue ?? 0);
  const exitValue = side === 'BUY' ? closed.plus(pnl) : closed.minus(pnl);
  const exit = exitValue.minus(closedTurnover ?? 0);
  return side === 'BUY' ? entry.minus(exit) : exit.minus(entry);
}

function unrealizedOf({ side, openAmount, openValue, lastPrice }: LotViewRow): Decimal | null {
  if (new BigDecimal(openAmount).isZero()) return '0';
  if (lastPrice === null) return null;
  const result = new BigDecimal(lastPrice).times(openAmount).minus(openValue);
  return money(side === 'BUY' ? result : result.negated());
}

function money(value: BigDecimal): Decimal {
  const rounded = value.toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_HALF_EVEN);
  return rounded.isZero() ? '0' : rounded.toString();
}
