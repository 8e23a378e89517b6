/**
 * Registers addresses and resets passwords by mail. Deprecated, retained until v2.0.
 *
 * 1. A registration opens no account: it stores the password's hash until the link in the mail is opened, and lapses
 *    after 24 hours. Meanwhile, others can register the same address; the first link that is opened decides.
 * 2. The response does not reveal whether an address is known. Every request hashes or finds the same things, stores a row
 *    and counts toward the same limits; the owner of a known address gets a mail without a link.
 * 3. A network has 20 requests in 15 minutes, and a mailbox receives five mails per hour.
 */
import { DomainError } from '@trading-automation/contracts';
import { inTransaction } from '@trading-automation/persistence';
import { addressGroup } from '../access/index.js';
import { queueMail } from '../mail/index.js';
import type { Platform } from '../platform/index.js';
import type { PasswordHasher } from './password-hasher.js';
import { hashNewPassword, parseEmail } from './password-input.js';
import type { EmailAndPassword } from './password-logins.js';
import type { SignInAttempts } from './sign-in-attempts.service.js';
import { findVerifiedLogin, insertLink, lockAddress } from './sign-in-links.queries.js';
import {
  alreadyRegisteredMail,
  PASSWORD_RESET_PATH,
  passwordResetMail,
  REGISTRATION_PATH,
  registrationMail,
} from './sign-in-mails.js';

const REQUESTS_MAX = 20;

export interface SignInRequestsDependencies {
  readonly platform: Platform;
  readonly attempts: SignInAttempts;
  readonly hasher: PasswordHasher;
  /** Whether a caller without credentials may open an account. */
  readonly isRegistrationOpen: boolean;
  /** The origin of links in mails, without a trailing slash. */
  readonly publicUrl: () => string;
}

export class SignInRequests {
  constructor(private readonly dependencies: SignInRequestsDependencies) {}

  /**
   * Mails a link that opens an account with this address and password. If the address already has a verified account,
   * its owner gets a mail that says so.
   *
   * @param address the caller's IP address
   * @throws {DomainError} `permission_denied` if the deployment opens no accounts, `validation_failed` or `rate_limited`
   */
  async register(input: EmailAndPassword, address: string): Promise<void> {
    const { platform, hasher, isRegistrationOpen } = this.dependencies;
    if (!isRegistrationOpen)
      throw new DomainError('permission_denied', 'This deployment does not open accounts.');
    const email = parseEmail(input.email);
    const passwordHash = await hashNewPassword(hasher, input.password, 'password');
    await this.countRequest(address);
    await inTransaction(platform.database, async (tx) => {
      await lockAddress(tx, email);
      const userId = await findVerifiedLogin(tx, email);
      if (userId !== null) {
        await insertLink(tx, { purpose: 'NONE', email });
        await queueMail(tx, alreadyRegisteredMail(userId, email));
        return;
      }
      const code = await insertLink(tx, { purpose: 'REGISTRATION', email, passwordHash });
      await queueMail(tx, registrationMail(email, this.link(REGISTRATION_PATH, code)));
    });
  }

  /**
   * Mails a link that sets a new password, if an account signs in with this address.
   *
   * @param address the caller's IP address
   * @throws {DomainError} `validation_failed` or `rate_limited`
   */
  async requestPasswordReset(emailText: string, address: string): Promise<void> {
    const email = parseEmail(emailText);
    await this.countRequest(address);
    await inTransaction(this.dependencies.platform.database, async (tx) => {
      await lockAddress(tx, email);
      const userId = await findVerifiedLogin(tx, email);
      if (userId === null) {
        await insertLink(tx, { purpose: 'NONE', email });
        return;
      }
      const code = await insertLink(tx, { purpose: 'PASSWORD_RESET', email, userId });
      await queueMail(tx, passwordResetMail(userId, email, this.link(PASSWORD_RESET_PATH, code)));
    });
  }

  private countRequest(address: string): Promise<void> {
    return this.dependencies.attempts.consume(`sign-in mails from ${addressGroup(address)}`, REQUESTS_MAX);
  }

  private link(path: string, code: string): string {
    return `${this.dependencies.publicUrl()}${path}?code=${code}`;
  }
}
