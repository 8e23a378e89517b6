import { rewardOperations } from '../rewards.js';
import { withdrawalOperations } from '../withdrawals.js';
import { sample } from './sample.js';

export const rewardSamples = [
  sample(rewardOperations.types, { title: 'What are rewards granted for?' }),
  sample(rewardOperations.list, {
    title: 'List what can be claimed',
    as: 'rewards',
    query: { status: 'CLAIMABLE' },
  }),
  sample(rewardOperations.claim, { title: 'Claim a reward', params: { id: '$rewards.0.id' } }),
  sample(rewardOperations.balance, { title: 'How many reward tokens are there?' }),
  sample(withdrawalOperations.create, {
    title: 'Ask for a payout',
    as: 'withdrawal',
    body: { amount: '5', wallet_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  }),
  sample(withdrawalOperations.get, { title: 'Read a withdrawal', params: { id: '$withdrawal.id' } }),
  sample(withdrawalOperations.list, {
    title: 'List the withdrawals that are under way',
    query: { status: 'PENDING' },
  }),
  sample(withdrawalOperations.cancel, {
    title: 'Cancel a withdrawal that is not paid out yet',
    params: { id: '$withdrawal.id' },
  }),
];
