import { canonicalDecimal, type Decimal, encodeId, type Position } from '@trading-automation/contracts';
import { BigDecimal, formatInstant } from '../values/index.js';
import { marginRatio } from './position.rules.js';
import type { PositionViewRow } from './positions.queries.js';

export function viewPosition(row: PositionViewRow): Position {
  const isOpen = !new BigDecimal(row.amount).isZero();
  return {
    id: encodeId('pos', row.id),
    exchange_account_id: encodeId('exa', row.exchangeAccountId),
    trade_pair_id: row.tradePairId === null ? undefined : encodeId('tpr', row.tradePairId),
    symbol: row.symbol,
    side: row.side ?? 'LONG',
    amount: canonicalDecimal(row.amount),
    entry_price: decimalOf(row.entryPrice),
    mark_price: decimalOf(row.markPrice),
    liquidation_price: decimalOf(row.liquidationPrice) ?? undefined,
    leverage: decimalOf(row.leverage),
    max_leverage: decimalOf(row.maxLeverage),
    margin_mode: row.marginMode ?? 'CROSS',
    margin_ratio: isOpen ? (marginRatioOf(row) ?? undefined) : undefined,
    unrealized_pnl: decimalOf(row.unrealizedPnl),
    realized_pnl: canonicalDecimal(row.realizedPnl),
    funding_paid: canonicalDecimal(row.fundingPaid),
    is_supported: row.isSupported,
    updated_at: formatInstant(row.updatedAt),
  };
}

/** Returns the ratio of the position in ISOLATED, and of its account in CROSS. */
export function marginRatioOf(row: PositionViewRow): Decimal | null {
  return row.marginMode === 'ISOLATED'
    ? marginRatio(row.isolatedMargin, row.maintenanceMargin)
    : marginRatio(row.accountEquity, row.accountMaintenance);
}

const decimalOf = (value: Decimal | null) => (value === null ? null : canonicalDecimal(value));
