import { rewardOperations } from '../rewards.js';
import { withdrawalAddressOperations } from '../withdrawal-addresses.js';
import { withdrawalOperations } from '../withdrawals.js';
import { sample } from './sample.js';

export const rewardSamples = [
  sample(rewardOperations.types, { title: 'List the reward types' }),
  sample(rewardOperations.list, {
    title: 'List claimable rewards',
    as: 'rewards',
    query: { status: 'CLAIMABLE' },
  }),
  sample(rewardOperations.claim, { title: 'Claim a reward', params: { id: '$rewards.0.id' } }),
  sample(rewardOperations.balance, { title: 'Get the balance of reward tokens' }),
  sample(withdrawalOperations.create, {
    title: 'Request a payout',
    as: 'withdrawal',
    body: { amount: '5', wallet_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  }),
  sample(withdrawalOperations.get, { title: 'Get a withdrawal', params: { id: '$withdrawal.id' } }),
  sample(withdrawalOperations.list, {
    title: 'List pending withdrawals',
    query: { status: 'PENDING' },
  }),
  sample(withdrawalOperations.cancel, {
    title: 'Cancel a pending withdrawal',
    params: { id: '$withdrawal.id' },
  }),
  sample(withdrawalAddressOperations.create, {
    title: 'Add a withdrawal address',
    as: 'withdrawal_address',
    body: { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', label: 'Hardware wallet' },
  }),
  sample(withdrawalAddressOperations.get, {
    title: 'Get a withdrawal address',
    params: { id: '$withdrawal_address.id' },
  }),
  sample(withdrawalAddressOperations.list, { title: 'List your withdrawal addresses' }),
  sample(withdrawalAddressOperations.delete, {
    title: 'Delete a withdrawal address',
    params: { id: '$withdrawal_address.id' },
  }),
];
