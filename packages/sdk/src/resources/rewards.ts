import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  Reward,
  RewardBalance,
  RewardsListQuery,
  RewardsTypesQuery,
  RewardType,
} from '../generated/records.js';

/** Rewards and their balance. */
export class Rewards<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your rewards.
   *
   * @example
   * for await (const reward of client.rewards.list({ status: 'CLAIMABLE' })) console.log(reward.amount);
   */
  list(query: RewardsListQuery = {}, options?: RequestOptions): PagePromise<Reward<D>> {
    return this.caller.list('rewards.list', { query }, options);
  }

  /**
   * Lists the reward types and how their amounts are calculated.
   *
   * @example
   * for await (const { code, description } of client.rewards.types()) console.log(code, description);
   */
  types(query: RewardsTypesQuery = {}, options?: RequestOptions): PagePromise<RewardType<D>> {
    return this.caller.list('rewards.types', { query }, options);
  }

  /**
   * Returns your balance of reward tokens: the available amount, and the amount held by withdrawals.
   *
   * @example
   * const balance = await client.rewards.balance();
   */
  balance(options?: RequestOptions): ApiPromise<RewardBalance<D>> {
    return this.caller.call('rewards.balance', {}, options);
  }

  /**
   * Claims a reward. Its amount is added to your balance once.
   *
   * @example
   * for await (const { id } of client.rewards.list({ status: 'CLAIMABLE' })) await client.rewards.claim(id);
   */
  claim(id: string, options?: RequestOptions): ApiPromise<Reward<D>> {
    return this.caller.call('rewards.claim', { params: { id } }, options);
  }
}
