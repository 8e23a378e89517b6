import { encodeId, type WithdrawalAddress } from '@trading-automation/contracts';
import { addressStatusOf } from '../withdrawal.rules.js';
import type { WithdrawalAddressEntity } from './withdrawal-address.entity.js';

export function withdrawalAddressView(entry: WithdrawalAddressEntity, now = new Date()): WithdrawalAddress {
  const { address, label, usableAt } = entry;
  return {
    id: encodeId('wad', entry.id),
    address,
    ...(label === null ? {} : { label }),
    status: addressStatusOf(entry, now),
    ...(usableAt === null ? {} : { usable_at: usableAt.toISOString() }),
    created_at: entry.createdAt.toISOString(),
    updated_at: entry.updatedAt.toISOString(),
  };
}
