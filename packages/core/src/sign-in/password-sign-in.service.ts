/**
 * Sign-in by e-mail address and password. Deprecated, retained until v2.0.
 *
 * 1. An unknown address and a wrong password get the same error after the same work, and count alike.
 * 2. A registered address is unverified: it is pending and receives a link, like any new address.
 * 3. Changing the password ends every session. A login that was checked against the old password opens none.
 */
import { DomainError, EMAIL_MAX } from '@trading-automation/contracts';
import { inTransaction, isUniqueViolation, type Tx } from '@trading-automation/persistence';
import { z } from 'zod';
import { assertNotRevoked, type EmailVerificationService, lockUser } from '../access/index.js';
import { type Actor, authorise, type CommandRunner, invalidState } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { PASSWORD_RULE, type PasswordHasher, readPassword } from './password-hasher.js';
import type { IssuedTokens, SessionsService } from './sessions.service.js';
import type { SignInResult, SignInService } from './sign-in.service.js';
import type { SignInAttempts } from './sign-in-attempts.service.js';

const emailAddress = z.email().max(EMAIL_MAX);

export interface PasswordSignInDependencies {
  readonly platform: Platform;
  readonly commands: CommandRunner;
  readonly emails: EmailVerificationService;
  readonly sessions: SessionsService;
  readonly signIn: SignInService;
  readonly attempts: SignInAttempts;
  readonly hasher: PasswordHasher;
}

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

export class PasswordSignInService {
  constructor(private readonly dependencies: PasswordSignInDependencies) {}

  /** Opens an account. @throws {DomainError} `already_exists` if the address already has a password */
  async register(input: EmailAndPassword): Promise<IssuedTokens> {
    const email = readEmail(input.email);
    if (email === null) throw invalidField('email', 'email must be an e-mail address.');
    const hash = await this.hashOf(input.password, 'password');
    try {
      return await inTransaction(this.dependencies.platform.database, async (tx) => {
        const userId = await this.dependencies.sessions.openAccount(tx);
        await tx.query('INSERT INTO password_logins (user_id, email, hash) VALUES ($1, $2, $3)', [
          userId,
          email,
          hash,
        ]);
        await this.dependencies.emails.changeEmail(tx, userId, email);
        return this.dependencies.sessions.open(tx, userId, 'password');
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'password_logins_email_key')) throw error;
      throw alreadyRegistered();
    }
  }

  /** Signs a user in. @throws {DomainError} `invalid_login` or `rate_limited` */
  async login(input: EmailAndPassword): Promise<SignInResult> {
    const email = readEmail(input.email);
    const subject = subjectOf(email ?? input.email);
    await this.dependencies.attempts.consume(subject);
    const { database } = this.dependencies.platform;
    const login = await findLogin(database.manager, 'email = $1', email ?? '');
    const isRight = await this.dependencies.hasher.verify(login?.hash ?? null, readPassword(input.password));
    if (login === null || !isRight) throw wrongLogin();
    return inTransaction(database, async (tx) => {
      await lockUser(tx, login.user_id);
      const current = await findLogin(tx, 'user_id = $1', login.user_id);
      if (current?.hash !== login.hash) throw wrongLogin();
      await this.dependencies.attempts.clear(tx, subject);
      return this.dependencies.signIn.complete(tx, login.user_id, 'password');
    });
  }

  /** Changes the password, and ends all sessions including the caller's. */
  async change(actor: Actor, { password, newPassword }: PasswordChange): Promise<void> {
    authorise(actor, 'ADMIN');
    const login = await findLogin(this.dependencies.platform.database.manager, 'user_id = $1', actor.userId);
    if (login === null) throw invalidState('The account has no password.', 'NONE');
    const newHash = await this.hashOf(newPassword, 'new_password');
    await this.dependencies.attempts.consume(subjectOf(login.email));
    const isRight = await this.dependencies.hasher.verify(login.hash, readPassword(password));
    if (!isRight) throw invalidField('password', 'The password is wrong.');
    await this.dependencies.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      await assertNotRevoked(tx, actor);
      const [changed] = await tx.query(
        `UPDATE password_logins SET hash = $3, updated_at = clock_timestamp()
         WHERE user_id = $1 AND hash = $2 RETURNING user_id`,
        [actor.userId, login.hash, newHash],
      );
      if (changed.length === 0)
        throw invalidField(
          'password',
          'The password was changed by another request. Try again with the new password.',
        );
      await this.dependencies.sessions.revokeAll(tx, actor.userId);
      await this.dependencies.attempts.clear(tx, subjectOf(login.email));
    });
  }

  private async hashOf(text: string, field: string): Promise<string> {
    const password = readPassword(text);
    if (password === null) throw invalidField(field, PASSWORD_RULE);
    return this.dependencies.hasher.hash(password);
  }
}

/** Returns the address as stored, with a lower-case domain; null if it is invalid. */
function readEmail(text: string): string | null {
  const { success, data } = emailAddress.safeParse(text.trim());
  if (!success) return null;
  const at = data.lastIndexOf('@');
  return data.slice(0, at) + data.slice(at).toLowerCase();
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

function wrongLogin(): DomainError {
  return new DomainError('invalid_login', 'E-mail or password is wrong.');
}

function alreadyRegistered(): DomainError {
  return new DomainError('already_exists', undefined, [
    {
      field: 'email',
      code: 'already_exists',
      message: 'The address is already registered. Sign in instead.',
    },
  ]);
}

function invalidField(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'invalid', message }]);
}
