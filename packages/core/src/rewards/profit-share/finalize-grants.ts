import { type Decimal, reward as rewardSchema } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { emitEvents } from '../../operations/index.js';
import { rewardView } from '../reward.view.js';
import { findRewardsOfUsers } from '../rewards.queries.js';
import { finalizeMonth } from './grants.queries.js';

/** The number of rewards that are read and emitted together. */
const BATCH_SIZE = 500;

/** Makes the grants of a month final and emits `reward.claimable` for each that can be claimed. */
export async function finalizeGrants(
  tx: Tx,
  month: string,
  budget: Decimal,
  expiresDays: number | null,
): Promise<void> {
  const ids = await finalizeMonth(tx, month, budget, expiresDays);
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    const rows = await findRewardsOfUsers(tx, ids.slice(start, start + BATCH_SIZE));
    await emitEvents(
      tx,
      rows.map(({ user_id: userId, ...row }) => ({
        userId,
        type: 'reward.claimable',
        schema: rewardSchema,
        record: rewardView(row),
      })),
    );
  }
}
