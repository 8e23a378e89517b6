import { decimalInput, type World, walletAddressInput } from '@trading-automation/contracts';
import { z } from 'zod';
import type { WithdrawalSettings } from './withdrawals.module.js';

const HOLD_HOURS = { live: 24, test: 0 } as const satisfies Record<World, number>;
const HOLD_HOURS_MAX = 8_760;

/** The environment variables about withdrawals. */
export const withdrawalVariables = {
  /** The fee in reward tokens, deducted from each withdrawal. */
  WITHDRAWAL_FEE: decimalInput('non_negative').default('0'),
  /** How long a new address is held, and withdrawals after a change of the e-mail address. Default: 24 live, 0 test. */
  WITHDRAWAL_ADDRESS_HOLD_HOURS: z.coerce.number().int().min(0).max(HOLD_HOURS_MAX).optional(),
  /** Reward tokens that a user may withdraw per UTC day; required in the live world. */
  WITHDRAWAL_DAILY_LIMIT: decimalInput('positive').optional(),
  /** The contract of the reward token, which receives no payout. */
  WITHDRAWAL_TOKEN_ADDRESS: walletAddressInput.optional(),
  /** The wallet that payouts are sent from, which receives no payout. */
  WITHDRAWAL_TREASURY_ADDRESS: walletAddressInput.optional(),
  /** Addresses that receive no payout, joined by commas. */
  WITHDRAWAL_DENIED_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => list.split(',').flatMap((entry) => entry.trim() || []))
    .pipe(z.array(walletAddressInput)),
};

type WithdrawalVariables = z.output<z.ZodObject<typeof withdrawalVariables>> & { readonly WORLD: World };

/** Returns what is missing for withdrawals in the live world, as names of variables with messages. */
export function missingLiveSettings(variables: WithdrawalVariables): readonly (readonly [string, string])[] {
  if (variables.WORLD === 'test' || variables.WITHDRAWAL_DAILY_LIMIT !== undefined) return [];
  return [['WITHDRAWAL_DAILY_LIMIT', 'is required in the live world']];
}

export function withdrawalSettingsOf(variables: WithdrawalVariables): WithdrawalSettings {
  return {
    fee: variables.WITHDRAWAL_FEE,
    policy: {
      world: variables.WORLD,
      holdHours: variables.WITHDRAWAL_ADDRESS_HOLD_HOURS ?? HOLD_HOURS[variables.WORLD],
      dailyLimit: variables.WITHDRAWAL_DAILY_LIMIT ?? null,
      tokenAddress: variables.WITHDRAWAL_TOKEN_ADDRESS ?? null,
      treasuryAddress: variables.WITHDRAWAL_TREASURY_ADDRESS ?? null,
      deniedAddresses: variables.WITHDRAWAL_DENIED_ADDRESSES,
    },
  };
}
