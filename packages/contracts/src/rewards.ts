import { z } from 'zod';
import { decimal } from './decimal.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';

export const REWARD_STATUSES = ['PENDING', 'CLAIMABLE', 'CLAIMED', 'EXPIRED'] as const;
export type RewardStatus = (typeof REWARD_STATUSES)[number];

/** What a reward can be granted for. */
export const REWARD_SOURCES = ['exchange_account', 'trade', 'copier', 'strategy', 'referral'] as const;
export type RewardSource = (typeof REWARD_SOURCES)[number];

/** How the amount of a reward is found. */
export const REWARD_BASES = ['FLAT', 'VOLUME', 'PROFIT_SHARE'] as const;
export type RewardBasis = (typeof REWARD_BASES)[number];

const currency = z.string().describe('The reward token.');

const profitShared = z
  .object({
    strategy_id: idOf('str'),
    quote: z.string().describe('The currency of the profit and of its high-water mark.'),
    rate: decimal.describe("The strategy's share of the profit."),
    tokens_per_quote: decimal.describe('Reward tokens for one unit of the quote currency.'),
  })
  .describe(
    'How the amount was found: `rate` × (`high_water_mark.after` − `high_water_mark.before`) × `tokens_per_quote`, rounded down to 18 decimals.',
  );

export const reward = z
  .object({
    id: idOf('rwd'),
    type_id: idOf('rwt'),
    amount: decimal,
    currency,
    status: z
      .enum(REWARD_STATUSES)
      .describe('PENDING until `claimable_at`, then CLAIMABLE; EXPIRED where nobody claimed it in time.'),
    reason: z.string().describe('What it was granted for, in words.'),
    source: z
      .object({ kind: z.enum(REWARD_SOURCES), id: z.string() })
      .describe('The record that it was granted for.'),
    period: z
      .object({ from: instant, to: instant })
      .optional()
      .describe('Of a profit share: the period in UTC that it settles; `to` is no longer part of it.'),
    high_water_mark: z
      .object({ before: decimal, after: decimal })
      .optional()
      .describe(
        "Of a profit share: the copier's net realised profit with the strategy, in quote currency, up to which profit was settled before, and is now.",
      ),
    profit_share: profitShared.optional(),
    claimable_at: instant,
    expires_at: instant.optional().describe('From then on it can no longer be claimed.'),
    claimed_at: instant.optional(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Reward' });
export type Reward = z.output<typeof reward>;

export const rewardType = z
  .object({
    id: idOf('rwt'),
    code: z.string().describe('Stable name, for example `SIGN_UP`.'),
    name: z.string(),
    description: z.string(),
    rule: z
      .object({
        basis: z.enum(REWARD_BASES),
        rate: decimal.describe('FLAT: reward tokens each time; else the share of the basis.'),
        cap: decimal.optional().describe('Most reward tokens of one grant.'),
        period: z.string().optional().describe('How often it is settled; absent where at once.'),
      })
      .describe('How its amount is found.'),
    is_active: z.boolean().describe('False where it is not granted at present.'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'RewardType' });
export type RewardType = z.output<typeof rewardType>;

export const rewardBalance = z
  .object({
    currency,
    available: decimal.describe('What was claimed and can be withdrawn.'),
    held: decimal.describe('What withdrawals under way hold.'),
  })
  .meta({ id: 'RewardBalance' });
export type RewardBalance = z.output<typeof rewardBalance>;

export const rewardOperations = {
  list: defineOperation({
    id: 'rewards.list',
    method: 'GET',
    path: '/v1/rewards',
    summary: 'Your rewards.',
    access: 'READ',
    query: z.strictObject({
      status: z.enum(REWARD_STATUSES).optional(),
      type_id: idGiven('rwt').optional(),
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
    summary: 'What rewards are granted for, and how much.',
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
    summary: 'Your reward tokens: available, and held by withdrawals.',
    access: 'READ',
    response: rewardBalance,
    status: 200,
    errors: [],
  }),
  claim: defineOperation({
    id: 'rewards.claim',
    method: 'POST',
    path: '/v1/rewards/:id/claim',
    summary: 'Claims a reward: its amount is added to your balance, once.',
    access: 'WITHDRAW',
    params: z.object({ id: idGiven('rwd') }),
    response: reward,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
