import { total } from '../../format/decimals';

interface RewardPart {
  readonly status: string;
  readonly amount: string;
}

/** Sums the amounts of the rewards that have a status. */
export function sumOf(rewards: readonly RewardPart[], status: string): string {
  return total(rewards.filter((reward) => reward.status === status).map(({ amount }) => amount)).toFixed();
}

const PERIODS: Readonly<Record<string, string>> = {
  WEEK: 'weekly',
  MONTH: 'monthly',
  QUARTER: 'quarterly',
};

/** Says how often a reward is settled; "immediately" for one that is granted at once. */
export function periodWords(period: string | undefined): string {
  if (period === undefined) return 'Granted immediately';
  const words = period.split('|').map((part) => PERIODS[part] ?? part.toLowerCase());
  const last = words.pop() ?? '';
  return `Settled ${words.length === 0 ? last : `${words.join(', ')} or ${last}`}`;
}
