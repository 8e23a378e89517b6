/**
 * Checks and changes the e-mail addresses and passwords with which users sign in.
 *
 * 1. An unknown address and a wrong password get the same error after the same work, and both count as an attempt.
 * 2. A login fails if the password is changed after it was checked.
 */
import { DomainError } from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { lockUser } from '../access/index.js';
import { invalidState } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { normalisePassword, type PasswordHasher } from './password-hasher.js';
import { hashNewPassword, invalidField, normaliseEmail } from './password-input.js';
import type { SignInAttempts } from './sign-in-attempts.service.js';
import { endPasswordResets } from './sign-in-links.queries.js';

export interface EmailAndPassword {
  readonly email: string;
  readonly password: string;
}

export interface PasswordChange {
  readonly password: string;
  readonly newPassword: string;
}

interface PasswordLogin {
  readonly user_id: string;
  readonly email: string;
  readonly hash: string;
}

export class PasswordLogins {
  constructor(
    private readonly platform: Platform,
    private readonly attempts: SignInAttempts,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * Checks an e-mail address and password, then runs `effect` in a transaction that holds the user's lock. The
   * transaction fails if the password was changed after the check.
   *
   * @param network the caller's network, by which attempts are limited
   * @throws {DomainError} `invalid_login` or `rate_limited`
   */
  async authenticate<T>(
    input: EmailAndPassword,
    network: string,
    effect: (tx: Tx, userId: string) => Promise<T>,
  ): Promise<T> {
    const email = normaliseEmail(input.email);
    const subject = subjectOf(email ?? input.email);
    await this.attempts.consumeFrom(network, subject);
    const { database } = this.platform;
    const login = await findLogin(database.manager, 'email = $1', email ?? '');
    const isCorrect = await this.hasher.verify(login?.hash ?? null, normalisePassword(input.password));
    if (login === null || !isCorrect) throw wrongLogin();
    return inTransaction(database, async (tx) => {
      await lockUser(tx, login.user_id);
      const current = await findLogin(tx, 'user_id = $1', login.user_id);
      if (current?.hash !== login.hash) throw wrongLogin();
      await this.attempts.recordSuccess(tx, network, subject);
      return effect(tx, login.user_id);
    });
  }

  /**
   * Checks the user's current password. Returns a function that stores the new password. The caller runs it in a
   * transaction that holds the user's lock.
   *
   * @throws {DomainError} `validation_failed`, `invalid_state` if the account has no password, or `rate_limited`
   */
  async prepareChange(
    userId: string,
    { password, newPassword }: PasswordChange,
  ): Promise<(tx: Tx) => Promise<void>> {
    const login = await findLogin(this.platform.database.manager, 'user_id = $1', userId);
    if (login === null) throw invalidState('The account has no password.', 'NONE');
    const newHash = await hashNewPassword(this.hasher, newPassword, 'new_password');
    // Counted for the user, not the address: attempts of strangers must not stop a signed-in owner.
    await this.attempts.consume(changeOf(userId));
    const isCorrect = await this.hasher.verify(login.hash, normalisePassword(password));
    if (!isCorrect) throw invalidField('password', 'The password is wrong.');
    return async (tx) => {
      const [changed] = await tx.query(
        `UPDATE password_logins SET hash = $3, updated_at = clock_timestamp()
         WHERE user_id = $1 AND hash = $2 RETURNING user_id`,
        [userId, login.hash, newHash],
      );
      if (changed.length === 0)
        throw invalidField(
          'password',
          'The password was changed by another request. Try again with the new password.',
        );
      await endPasswordResets(tx, userId);
      await this.attempts.clear(tx, changeOf(userId));
    };
  }
}

async function findLogin(tx: Tx, condition: string, param: string): Promise<PasswordLogin | null> {
  const [login] = await tx.query(`SELECT user_id, email, hash FROM password_logins WHERE ${condition}`, [
    param,
  ]);
  return login ?? null;
}

function subjectOf(email: string): string {
  return `password of ${email}`;
}

const changeOf = (userId: string) => `password change of ${userId}`;

function wrongLogin(): DomainError {
  return new DomainError('invalid_login', 'E-mail or password is wrong.');
}
