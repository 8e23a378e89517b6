/**
 * Decides whether tokens may be withdrawn to an address. The functions are pure: they compare facts with a policy. The
 * request applies them, and the payout will apply {@link payoutRefusal} again, because facts change in between.
 */
import {
  type Decimal,
  type DetailCode,
  DomainError,
  type ErrorDetail,
  type WithdrawalAddressStatus,
  type World,
} from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

const HOUR_MS = 3_600_000;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
/** In the live world, a younger credential cannot withdraw. */
const CREDENTIAL_AGE_HOURS = 24;

/** The settings of a deployment that protect withdrawals. Addresses are compared without case. */
export interface WithdrawalPolicy {
  readonly world: World;
  /** How long a new address, and withdrawals after a change of the e-mail address, are held. */
  readonly holdHours: number;
  /** Reward tokens per user and UTC day, including fees; null if there is no limit. */
  readonly dailyLimit: Decimal | null;
  /** The contract of the reward token. */
  readonly tokenAddress: string | null;
  /** The wallet that payouts are sent from. */
  readonly treasuryAddress: string | null;
  readonly deniedAddresses: readonly string[];
}

/** What is known about a withdrawal when it is requested, and again when it is paid out. */
export interface PayoutFacts {
  readonly now: Date;
  readonly amount: Decimal;
  readonly walletAddress: string;
  /** The entry of the address book; null if the address is not in it. */
  readonly addressStatus: WithdrawalAddressStatus | null;
  /** When a verified e-mail address was last replaced by another one; null if never. */
  readonly emailReplacedAt: Date | null;
  /** The sum of the user's other withdrawals of the same UTC day that were not cancelled and did not fail. */
  readonly withdrawnToday: Decimal;
}

export interface RequestFacts extends PayoutFacts {
  /** When the value of the caller's credential was issued; null if the credential is unknown. */
  readonly credentialIssuedAt: Date | null;
}

/** Returns the status of an address. Both instants are null until it is confirmed. */
export function addressStatusOf(
  { confirmedAt, usableAt }: { readonly confirmedAt: Date | null; readonly usableAt: Date | null },
  now: Date,
): WithdrawalAddressStatus {
  if (confirmedAt === null || usableAt === null) return 'PENDING';
  return usableAt > now ? 'HELD' : 'ACTIVE';
}

/**
 * Returns why no payout can be sent to an address, as an error of `field`; null if it can.
 *
 * The caller has already checked the format and the checksum.
 */
export function addressRefusal(policy: WithdrawalPolicy, address: string, field: string): DomainError | null {
  const lower = address.toLowerCase();
  const { tokenAddress, treasuryAddress, deniedAddresses } = policy;
  const is = (other: string | null) => other?.toLowerCase() === lower;
  if (lower === ZERO_ADDRESS) return refused(field, 'zero_address', 'is the zero address');
  if (is(tokenAddress)) return refused(field, 'token_address', 'is the contract of the reward token');
  if (is(treasuryAddress))
    return refused(field, 'treasury_address', 'is the wallet that payouts are sent from');
  if (deniedAddresses.some(is))
    return refused(field, 'denied_address', 'is on the deny list of this deployment');
  return null;
}

/** Returns why a withdrawal cannot be paid out; null if it can. */
export function payoutRefusal(policy: WithdrawalPolicy, facts: PayoutFacts): DomainError | null {
  return (
    addressRefusal(policy, facts.walletAddress, 'wallet_address') ??
    inactiveAddress(policy, facts) ??
    heldAfterEmailChange(policy, facts) ??
    overDailyLimit(policy, facts)
  );
}

/** Returns why a withdrawal cannot be requested; null if it can. */
export function requestRefusal(policy: WithdrawalPolicy, facts: RequestFacts): DomainError | null {
  return payoutRefusal(policy, facts) ?? tooNewCredential(policy, facts);
}

function inactiveAddress({ world }: WithdrawalPolicy, { addressStatus }: PayoutFacts): DomainError | null {
  if (world === 'test' || addressStatus === 'ACTIVE') return null;
  const message = {
    PENDING: 'wallet_address is not confirmed yet. Open the link in the mail.',
    HELD: 'wallet_address is still held. Wait until its usable_at.',
    unknown: 'wallet_address is not in your address book. Add it with POST /v1/withdrawal-addresses.',
  }[addressStatus ?? 'unknown'];
  return invalid({
    field: 'wallet_address',
    code: 'address_not_active',
    message,
    ...(addressStatus === null ? {} : { status: addressStatus }),
  });
}

function heldAfterEmailChange(
  { holdHours }: WithdrawalPolicy,
  { emailReplacedAt, now }: PayoutFacts,
): DomainError | null {
  if (emailReplacedAt === null) return null;
  const usableAt = new Date(emailReplacedAt.getTime() + holdHours * HOUR_MS);
  if (usableAt <= now) return null;
  const message = `The e-mail address was changed, so withdrawals are held until ${usableAt.toISOString()}.`;
  return new DomainError('invalid_state', message, [
    { code: 'email_recently_changed', message, state: 'HELD', usable_at: usableAt.toISOString() },
  ]);
}

function overDailyLimit(
  { dailyLimit }: WithdrawalPolicy,
  { amount, withdrawnToday }: PayoutFacts,
): DomainError | null {
  if (dailyLimit === null) return null;
  const remaining = new BigDecimal(dailyLimit).minus(withdrawnToday);
  if (remaining.gte(amount)) return null;
  const rest = remaining.lt(0) ? '0' : remaining.toString();
  const message = `A user may withdraw ${dailyLimit} tokens per UTC day; ${rest} of them are left today, got ${amount}.`;
  return new DomainError('limit_reached', undefined, [
    { field: 'amount', code: 'limit_reached', message, limit: dailyLimit, remaining: rest },
  ]);
}

function tooNewCredential(
  { world }: WithdrawalPolicy,
  { credentialIssuedAt, now }: RequestFacts,
): DomainError | null {
  if (world === 'test') return null;
  const since = credentialIssuedAt ?? now;
  const usableAt = new Date(since.getTime() + CREDENTIAL_AGE_HOURS * HOUR_MS);
  if (usableAt <= now) return null;
  const message = `A credential can withdraw ${CREDENTIAL_AGE_HOURS} hours after it was created or rotated; this one at ${usableAt.toISOString()}. Use an older one.`;
  return new DomainError('permission_denied', message, [
    { code: 'credential_too_new', message, usable_at: usableAt.toISOString() },
  ]);
}

function refused(field: string, code: DetailCode, reason: string): DomainError {
  return invalid({
    field,
    code,
    message: `${field} ${reason}, which cannot receive a payout. Use your own address.`,
  });
}

function invalid(detail: ErrorDetail): DomainError {
  return new DomainError('validation_failed', undefined, [detail]);
}
