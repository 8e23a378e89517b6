import { type DetailCode, DomainError, type ExchangeAccountUpdate } from '@trading-automation/contracts';
import type { CredentialsReport } from '@trading-automation/exchanges';
import { invalidState } from '../operations/index.js';
import type { AccountUse } from './exchange-accounts.queries.js';

export function notOffered(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'not_offered', message }]);
}

export function assertNoWithdrawPermission(
  { canWithdraw }: CredentialsReport,
  { allow_withdraw_keys }: Pick<ExchangeAccountUpdate, 'allow_withdraw_keys'>,
): void {
  if (!canWithdraw || allow_withdraw_keys) return;
  throw badCredentials(
    'may_withdraw',
    'These credentials may withdraw. Use credentials that may only trade, or send allow_withdraw_keys: true.',
  );
}

export function otherAccount(): DomainError {
  return badCredentials(
    'other_account',
    'These credentials belong to another account at the exchange. Add that account with POST /v1/exchanges.',
  );
}

function badCredentials(code: DetailCode, message: string): DomainError {
  return new DomainError('validation_failed', message, [{ field: 'credentials', code, message }]);
}

const USE_MESSAGES: Record<AccountUse, string> = {
  OPEN_TRADES: 'The account has open trades. Cancel them first.',
  OPEN_LOTS: 'The account has open lots of its trades. Close them first.',
  ACTIVE_STRATEGY: 'An active strategy trades on the account. Archive it first.',
  RUNNING_COPIER: 'A copier that is not paused copies to the account. Stop it first.',
};

export function accountInUse(use: AccountUse): DomainError {
  const message = USE_MESSAGES[use];
  return invalidState(message, use);
}

export function accountInactiveError(): DomainError {
  const message = 'The exchange rejected the credentials of this account. Update the account with new ones.';
  return invalidState(message, 'INACTIVE');
}
