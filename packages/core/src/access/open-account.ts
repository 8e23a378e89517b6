import { DomainError } from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { UserEntity } from './user.entity.js';

export interface NewAccount {
  /** A verified address of the owner, or null. */
  readonly email: string | null;
  /** The error message if the deployment opens no accounts. */
  readonly deniedMessage: string;
}

/**
 * Opens an account if registration is open, and returns its user id. The caller creates the
 * first credential.
 *
 * @throws {DomainError} `permission_denied`
 */
export async function openAccount(
  tx: Tx,
  isRegistrationOpen: boolean,
  { email, deniedMessage }: NewAccount,
): Promise<string> {
  if (!isRegistrationOpen) throw new DomainError('permission_denied', deniedMessage);
  const user = tx.create(UserEntity, {
    id: newUuid(),
    email,
    pendingEmail: null,
    emailVerifiedAt: email === null ? null : new Date(),
  });
  await tx.save(user);
  return user.id;
}
