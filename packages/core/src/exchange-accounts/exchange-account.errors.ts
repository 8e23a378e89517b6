import {
  type DetailCode,
  DomainError,
  type ExchangeAccountUpdate,
  type InactiveReason,
} from '@trading-automation/contracts';
import type { CredentialsReport, UnsupportedAccount } from '@trading-automation/exchanges';
import { invalidState } from '../operations/index.js';
import type { AccountUse } from './exchange-accounts.queries.js';

export function notOffered(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'not_offered', message }]);
}

export function assertNoWithdrawPermission(
  { canWithdraw }: CredentialsReport,
  { allow_withdraw_keys }: Pick<ExchangeAccountUpdate, 'allow_withdraw_keys'>,
): void {
  // An exchange that does not report the right may grant it.
  if (canWithdraw === false || allow_withdraw_keys) return;
  throw badCredentials(
    'may_withdraw',
    canWithdraw === null
      ? 'The exchange does not report whether these credentials may withdraw. Make sure that they may only trade, and send allow_withdraw_keys: true.'
      : 'These credentials may withdraw. Use credentials that may only trade, or send allow_withdraw_keys: true.',
  );
}

const UNSUPPORTED: Readonly<Record<UnsupportedAccount, readonly [code: DetailCode, message: string]>> = {
  HEDGE_MODE: [
    'position_mode',
    'The account keeps long and short positions apart (hedge mode). Switch it to one-way mode at the exchange, then try again.',
  ],
  PORTFOLIO_MARGIN: [
    'portfolio_margin',
    'The account uses portfolio margin. Switch it to cross margin at the exchange, then try again.',
  ],
  ACCOUNT_TYPE: [
    'account_type',
    'This kind of account is not supported for the trading type. The page of the exchange in the documentation names the supported kinds and how to switch.',
  ],
};

/** @throws {DomainError} if the product cannot trade this kind of account */
export function assertSupported({ unsupported }: CredentialsReport): void {
  if (unsupported === undefined) return;
  const [code, message] = UNSUPPORTED[unsupported];
  throw badCredentials(code, message);
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

const INACTIVE_MESSAGES: Readonly<Record<InactiveReason, string>> = {
  CREDENTIALS: 'The exchange rejected the credentials of this account. Update the account with new ones.',
  POSITION_MODE:
    'The account is in hedge mode. Switch it to one-way mode at the exchange, then send its credentials again.',
  PORTFOLIO_MARGIN:
    'The account uses portfolio margin. Switch it to cross margin at the exchange, then send its credentials again.',
  ACCOUNT_TYPE:
    'The kind of the account is no longer supported. Switch it at the exchange, then send its credentials again.',
};

export function accountInactiveError(reason: InactiveReason = 'CREDENTIALS'): DomainError {
  return invalidState(INACTIVE_MESSAGES[reason], 'INACTIVE');
}
