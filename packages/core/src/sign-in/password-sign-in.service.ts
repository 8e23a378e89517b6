/**
 * Sign-in by e-mail address and password. Deprecated, retained until v2.0.
 *
 * Changing the password ends every session. A login that was checked against the old password opens no session.
 */
import { addressGroup } from '../access/index.js';
import { type Actor, authorise } from '../operations/index.js';
import type { CredentialChanges } from './credential-changes.js';
import type { EmailAndPassword, PasswordChange, PasswordLogins } from './password-logins.js';
import type { SessionsService } from './sessions.service.js';
import type { SignInResult, SignInService } from './sign-in.service.js';

export class PasswordSignInService {
  constructor(
    private readonly logins: PasswordLogins,
    private readonly sessions: SessionsService,
    private readonly signIn: SignInService,
    private readonly changes: CredentialChanges,
  ) {}

  /** Signs a user in. @param address the caller's IP address @throws {DomainError} `invalid_login` or `rate_limited` */
  login(input: EmailAndPassword, address: string): Promise<SignInResult> {
    return this.logins.authenticate(input, addressGroup(address), (tx, userId) =>
      this.signIn.complete(tx, userId, 'password'),
    );
  }

  /** Changes the password, and ends all sessions including the caller's. */
  async change(actor: Actor, input: PasswordChange): Promise<void> {
    authorise(actor, 'ADMIN');
    const apply = await this.logins.prepareChange(actor.userId, input);
    await this.changes.run(actor, async (tx) => {
      await apply(tx);
      await this.sessions.revokeAll(tx, actor.userId);
    });
  }
}
