import { inactiveWords } from '../../../data/inactive-account.rules';

interface OfferedAccount {
  readonly id: string;
  readonly is_active: boolean;
  readonly inactive_reason: string | null;
}

/** Why a copier of the strategy cannot trade on the account; undefined if it can. */
export function refusalOf(
  { id, is_active, inactive_reason }: OfferedAccount,
  strategy: { readonly exchange_account_id?: string | undefined },
): string | undefined {
  if (id === strategy.exchange_account_id) return 'The strategy itself trades on this account.';
  return is_active ? undefined : inactiveWords(inactive_reason).advice;
}
