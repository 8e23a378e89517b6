import { canonicalDecimal, type Decimal, encodeId, type FundingPayment } from '@trading-automation/contracts';
import { formatInstant } from '../values/index.js';

/** A stored funding payment. */
export interface FundingPaymentRow {
  readonly id: string;
  readonly userId: string;
  readonly exchangeAccountId: string;
  readonly tradePairId: string | null;
  readonly symbol: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly paidAt: Date;
  readonly createdAt: Date;
}

export function viewFundingPayment(row: FundingPaymentRow): FundingPayment {
  return {
    id: encodeId('fnd', row.id),
    exchange_account_id: encodeId('exa', row.exchangeAccountId),
    trade_pair_id: row.tradePairId === null ? undefined : encodeId('tpr', row.tradePairId),
    symbol: row.symbol,
    amount: canonicalDecimal(row.amount),
    currency: row.currency,
    paid_at: formatInstant(row.paidAt),
    created_at: formatInstant(row.createdAt),
  };
}
