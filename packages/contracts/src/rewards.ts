import { z } from 'zod';
import { decimal } from './decimal.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';

export const REWARD_STATUSES = ['PENDING', 'CLAIMABLE', 'CLAIMED', 'EXPIRED'] as const;
export type RewardStatus = (typeof REWARD_STATUSES)[number];

/** Types of records that a reward can be granted for. */
export const REWARD_SOURCES = ['exchange_account', 'trade', 'copier', 'strategy', 'referral'] as const;
export type RewardSource = (typeof REWARD_SOURCES)[number];

/** How the amount of a reward is calculated. */
export const REWARD_BASES = ['FLAT', 'VOLUME', 'PROFIT_SHARE'] as const;
export type RewardBasis = (typeof REWARD_BASES)[number];

const currency = z.string().describe('The reward token.');

const profitShareTerms = z
  .object({
    strategy_id: idOf('str'),
    quote: z
      .string()
      .describe(
        'Currency of the profit and of the mark: the quote currency that the user traded most until the first settlement.',
      ),
    rate: decimal.describe(
      "The owner's share of the profit, as a fraction: the lowest rate of the user's copiers.",
    ),
    tokens_per_quote: decimal.describe('Reward tokens per unit of the quote currency.'),
    realized: decimal
      .optional()
      .describe(
        "Net realized profit of the user's copies of the leader's account since the first one. Other quote currencies are valued at the time of the fill.",
      ),
    open_loss: decimal
      .optional()
      .describe('Losses of the open copies at the end of the period. Open gains do not reduce them.'),
    unscaled_amount: decimal.optional().describe('The amount in reward tokens before `scale`.'),
    scale: decimal
      .optional()
      .describe(
        'The factor of all profit shares of the month, from 0 to 1: less than 1 if they exceed the budget. Absent until the month ends.',
      ),
    lot_count: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('Number of lots that changed the profit since the last settlement.'),
    lots: z.array(idOf('lot')).optional().describe('The ids of these lots, at most 1,000.'),
  })
  .describe(
    'How the amount was calculated: `rate` × (`high_water_mark.after` − `high_water_mark.before`) × `tokens_per_quote`, rounded down to 18 decimals, × `scale`, rounded down. `high_water_mark.after` is `realized` − `open_loss`.',
  );

export const reward = z
  .object({
    id: idOf('rwd'),
    type_id: idOf('rwt'),
    amount: decimal,
    currency,
    status: z
      .enum(REWARD_STATUSES)
      .describe(
        'PENDING until `claimable_at`, then CLAIMABLE. A profit share is PENDING until its UTC month has ended and its amount is final. EXPIRED if it was not claimed before `expires_at`.',
      ),
    reason: z.string().describe('Why the reward was granted, as a sentence.'),
    source: z
      .object({ kind: z.enum(REWARD_SOURCES), id: z.string() })
      .describe('The record for which the reward was granted.'),
    period: z
      .object({ from: instant, to: instant })
      .optional()
      .describe('For a profit share: the settled period in UTC. `to` is exclusive.'),
    high_water_mark: z
      .object({ before: decimal, after: decimal })
      .optional()
      .describe(
        "For a profit share: the copying user's highest settled net profit with the leader's account, in quote currency, before and after this reward.",
      ),
    profit_share: profitShareTerms.optional(),
    claimable_at: instant,
    expires_at: instant.optional().describe('Time from which the reward can no longer be claimed.'),
    claimed_at: instant.optional(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Reward' });
export type Reward = z.output<typeof reward>;

export const rewardType = z
  .object({
    id: idOf('rwt'),
    code: z.string().describe('Stable code, for example `SIGN_UP`.'),
    name: z.string(),
    description: z.string(),
    rule: z
      .object({
        basis: z.enum(REWARD_BASES),
        rate: decimal.describe(
          'For FLAT: reward tokens per grant. For VOLUME and PROFIT_SHARE: fraction of the volume or profit.',
        ),
        cap: decimal.optional().describe('Maximum reward tokens per grant.'),
        period: z
          .string()
          .optional()
          .describe('How often the reward is settled. Absent if it is granted immediately.'),
      })
      .describe('How the amount is calculated.'),
    is_active: z.boolean().describe('False if rewards of this type are currently not granted.'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'RewardType' });
export type RewardType = z.output<typeof rewardType>;

export const rewardBalance = z
  .object({
    currency,
    available: decimal.describe('Claimed amount that can be withdrawn.'),
    held: decimal.describe('Amount held by open withdrawals.'),
  })
  .meta({ id: 'RewardBalance' });
export type RewardBalance = z.output<typeof rewardBalance>;

export const rewardOperations = {
  list: defineOperation({
    id: 'rewards.list',
    method: 'GET',
    path: '/v1/rewards',
    summary: 'Lists your rewards.',
    access: 'READ',
    query: z.strictObject({
      status: z.enum(REWARD_STATUSES).optional(),
      type_id: idInput('rwt').optional(),
    }),
    list: { sorts: ['created_at', 'claimable_at', 'amount'], limitDefault: 20 },
    response: reward,
    status: 200,
    errors: ['not_found'],
  }),
  types: defineOperation({
    id: 'rewards.types',
    method: 'GET',
    path: '/v1/rewards/types',
    summary: 'Lists the reward types and how their amounts are calculated.',
    access: 'READ',
    list: { sorts: ['created_at', 'code'], limitDefault: 20 },
    response: rewardType,
    status: 200,
    errors: [],
  }),
  balance: defineOperation({
    id: 'rewards.balance',
    method: 'GET',
    path: '/v1/rewards/balance',
    summary:
      'Returns your balance of reward tokens: the available amount, and the amount held by withdrawals.',
    access: 'READ',
    response: rewardBalance,
    status: 200,
    errors: [],
  }),
  claim: defineOperation({
    id: 'rewards.claim',
    method: 'POST',
    path: '/v1/rewards/:id/claim',
    summary: 'Claims a reward and adds its amount to your balance. A reward can be claimed once.',
    access: 'WITHDRAW',
    params: z.object({ id: idInput('rwd') }),
    response: reward,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
