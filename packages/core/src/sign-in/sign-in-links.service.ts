/**
 * Serves the pages behind mailed links: opens the account of a registration, and sets a new password.
 *
 * 1. Reading a link changes nothing. Only the form's POST uses it, once.
 * 2. Opening an account requires the password of the registration: the mail alone proves the address, and the password
 *    proves that the same person registered. A stranger cannot prepare an account for somebody else.
 * 3. A new password ends all sessions of the user, and all links that were mailed before.
 */
import { DomainError } from '@trading-automation/contracts';
import { inTransaction } from '@trading-automation/persistence';
import { lockUser, openAccount } from '../access/index.js';
import { queueMail } from '../mail/index.js';
import type { Platform } from '../platform/index.js';
import { normalisePassword, type PasswordHasher } from './password-hasher.js';
import { hashNewPassword, invalidField } from './password-input.js';
import { endAllSessions } from './sessions.queries.js';
import type { SignInAttempts } from './sign-in-attempts.service.js';
import {
  endPasswordResets,
  endRegistrations,
  findPasswordReset,
  findRegistration,
  findVerifiedLogin,
  lockAddress,
  removeUnverifiedLogin,
} from './sign-in-links.queries.js';
import { passwordWasResetMail } from './sign-in-mails.js';

export interface SignInLinksDependencies {
  readonly platform: Platform;
  readonly attempts: Pick<SignInAttempts, 'consume'>;
  readonly hasher: PasswordHasher;
  /** Whether a caller without credentials may open an account. */
  readonly isRegistrationOpen: boolean;
}

export class SignInLinksService {
  constructor(private readonly dependencies: SignInLinksDependencies) {}

  /** Returns the address that a registration's link opens an account for. @throws {DomainError} `not_found` */
  async registration(code: string): Promise<{ readonly email: string }> {
    const { email } = await findRegistration(this.dependencies.platform.database.manager, code);
    return { email };
  }

  /**
   * Opens the account of a registration.
   *
   * @throws {DomainError} `not_found` if the link is unknown, used or expired, `validation_failed` if the password is not
   *   the registration's, `rate_limited` or `permission_denied`
   */
  async openAccount(code: string, password: string): Promise<{ readonly email: string }> {
    const { platform, attempts, hasher, isRegistrationOpen } = this.dependencies;
    const { email, passwordHash } = await findRegistration(platform.database.manager, code);
    await attempts.consume(`registration of ${code}`);
    if (!(await hasher.verify(passwordHash, normalisePassword(password))))
      throw invalidField('password', 'The password is not the one of the registration.');
    return inTransaction(platform.database, async (tx) => {
      await lockAddress(tx, email);
      // Fails if another request used the link, or another registration of the address, meanwhile.
      await findRegistration(tx, code);
      await endRegistrations(tx, email);
      if ((await findVerifiedLogin(tx, email)) !== null)
        throw new DomainError('not_found', 'The address already has an account. Sign in instead.');
      await removeUnverifiedLogin(tx, email);
      const deniedMessage = 'This deployment does not open accounts.';
      const userId = await openAccount(tx, isRegistrationOpen, { email, deniedMessage });
      await tx.query(
        `INSERT INTO password_logins (user_id, email, hash, verified_at) VALUES ($1, $2, $3, clock_timestamp())`,
        [userId, email, passwordHash],
      );
      return { email };
    });
  }

  /** Returns the address whose password a link resets. @throws {DomainError} `not_found` */
  async passwordReset(code: string): Promise<{ readonly email: string }> {
    const { email } = await findPasswordReset(this.dependencies.platform.database.manager, code);
    return { email };
  }

  /**
   * Sets a new password, and ends all sessions of the user.
   *
   * @throws {DomainError} `not_found` if the link is unknown, used or expired, or `validation_failed`
   */
  async resetPassword(code: string, password: string): Promise<{ readonly email: string }> {
    const { platform, hasher } = this.dependencies;
    const { email, userId } = await findPasswordReset(platform.database.manager, code);
    const hash = await hashNewPassword(hasher, password, 'password');
    return inTransaction(platform.database, async (tx) => {
      await lockUser(tx, userId);
      await findPasswordReset(tx, code);
      await endPasswordResets(tx, userId);
      const [changed] = await tx.query(
        `UPDATE password_logins SET hash = $3, verified_at = coalesce(verified_at, clock_timestamp()),
           updated_at = clock_timestamp() WHERE user_id = $1 AND email = $2 RETURNING user_id`,
        [userId, email, hash],
      );
      if (changed.length === 0) throw new DomainError('not_found', 'The account has no password to reset.');
      await endAllSessions(tx, userId);
      await queueMail(tx, passwordWasResetMail(userId, email));
      return { email };
    });
  }
}
