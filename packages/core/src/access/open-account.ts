import { DomainError } from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { UserEntity } from './user.entity.js';

export interface NewAccount {
  /** An address that was proved to be the owner's, or null. */
  readonly email: string | null;
  /** What somebody is told where no account is opened. */
  readonly deniedMessage: string;
}

/**
 * A new account, where the deployment opens one for whoever asks. Its first credential is the caller's business.
 *
 * @throws {DomainError} `permission_denied`
 */
export async function openAccount(
  tx: Tx,
  openRegistration: boolean,
  { email, deniedMessage }: NewAccount,
): Promise<string> {
  if (!openRegistration) throw new DomainError('permission_denied', deniedMessage);
  const user = tx.create(UserEntity, {
    id: newUuid(),
    email,
    pendingEmail: null,
    emailVerifiedAt: email === null ? null : new Date(),
  });
  await tx.save(user);
  return user.id;
}
