import { canonicalDecimal, encodeId, type Withdrawal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';
import type { WithdrawalEntity } from './withdrawal.entity.js';

const NO_PAYOUTS_YET =
  'Payouts are not processed yet. The amount is held until they are processed or you cancel the withdrawal.';

export function withdrawalView(withdrawal: WithdrawalEntity): Withdrawal {
  const { amount, fee, cancelledAt } = withdrawal;
  return {
    id: encodeId('wdr', withdrawal.id),
    amount: canonicalDecimal(amount),
    fee: canonicalDecimal(fee),
    net_amount: new BigDecimal(amount).minus(fee).toString(),
    currency: withdrawal.currency,
    network: withdrawal.network,
    wallet_address: withdrawal.walletAddress,
    status: withdrawal.status,
    ...(withdrawal.status === 'PENDING' ? { status_reason: NO_PAYOUTS_YET } : {}),
    requested_at: withdrawal.createdAt.toISOString(),
    ...(cancelledAt === null ? {} : { cancelled_at: cancelledAt.toISOString() }),
    created_at: withdrawal.createdAt.toISOString(),
    updated_at: withdrawal.updatedAt.toISOString(),
  };
}
