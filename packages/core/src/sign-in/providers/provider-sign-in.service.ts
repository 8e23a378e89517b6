/**
 * Sign-in by an identity at a provider. Retained until v2.0.
 *
 * 1. A provider's subject belongs permanently to one account. For an unknown subject an account is opened if the
 *    deployment allows it; two concurrent requests get the same account.
 * 2. An e-mail address never gives access to an existing account with that address, even if the address is verified.
 *    A new account gets the address if the provider verified it.
 * 3. If the request also carries a credential with ADMIN, the subject joins the account of that credential. It never
 *    joins a second account.
 * 4. The transaction that signs a user in also consumes the user's single-use proof.
 */
import { DomainError } from '@trading-automation/contracts';
import { inTransaction, isUniqueViolation, type Tx } from '@trading-automation/persistence';
import { assertNotRevoked, lockUser } from '../../access/index.js';
import { type Actor, authorise } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import type { SessionsService } from '../sessions.service.js';
import type { SignInResult, SignInService } from '../sign-in.service.js';

/** A proved identity at a provider. */
export interface ProviderIdentity {
  readonly provider: 'google' | 'apple' | 'x' | 'telegram';
  /** The id that the provider gave to the user. The provider never gives it to another user. */
  readonly subject: string;
  readonly email?: string | undefined;
  readonly emailVerified: boolean;
  /** Set if the proof can be used once: its hash, and the time after which it is rejected as expired. */
  readonly proof?: { readonly hash: Buffer; readonly expiresAt: Date };
}

export interface ProviderSignInDependencies {
  readonly platform: Platform;
  readonly sessions: SessionsService;
  readonly signIn: SignInService;
}

export class ProviderSignInService {
  constructor(private readonly dependencies: ProviderSignInDependencies) {}

  /** Signs a user in. @param actor null if the request carries no credential in addition to the identity */
  async signIn(actor: Actor | null, identity: ProviderIdentity): Promise<SignInResult> {
    if (actor !== null) authorise(actor, 'ADMIN');
    const attempt = () =>
      inTransaction(this.dependencies.platform.database, (tx) => this.signInOrLink(tx, actor, identity));
    try {
      return await attempt();
    } catch (error) {
      if (!isUniqueViolation(error, 'provider_identities_pkey')) throw error;
      // A concurrent request linked the subject, so this transaction was rolled back. Try again with the committed
      // state.
      return attempt();
    }
  }

  private async signInOrLink(tx: Tx, actor: Actor | null, identity: ProviderIdentity): Promise<SignInResult> {
    if (actor !== null) {
      await lockUser(tx, actor.userId);
      await assertNotRevoked(tx, actor);
    }
    if (identity.proof !== undefined) await consumeProof(tx, identity.proof);
    const owner = await ownerOf(tx, identity);
    if (owner !== null && actor !== null && owner !== actor.userId) throw linkedElsewhere();
    const userId = owner ?? actor?.userId ?? (await this.openAccount(tx, identity));
    if (owner === null) await link(tx, userId, identity);
    return this.dependencies.signIn.complete(tx, userId, identity.provider);
  }

  private openAccount(tx: Tx, { email, emailVerified }: ProviderIdentity): Promise<string> {
    return this.dependencies.sessions.openAccount(tx, { email: emailVerified && email ? email : null });
  }
}

async function ownerOf(tx: Tx, { provider, subject }: ProviderIdentity): Promise<string | null> {
  const [identity] = await tx.query(
    'SELECT user_id FROM provider_identities WHERE provider = $1 AND subject = $2',
    [provider, subject],
  );
  return identity?.user_id ?? null;
}

async function link(tx: Tx, userId: string, { provider, subject }: ProviderIdentity): Promise<void> {
  await tx.query(
    `INSERT INTO provider_identities (provider, subject, user_id, created_at)
     VALUES ($1, $2, $3, clock_timestamp())`,
    [provider, subject, userId],
  );
}

/** Consumes a proof. A concurrent use waits for the first transaction and fails after its commit. */
async function consumeProof(
  tx: Tx,
  { hash, expiresAt }: NonNullable<ProviderIdentity['proof']>,
): Promise<void> {
  const used = await tx.query(
    'INSERT INTO used_login_data (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING hash',
    [hash, expiresAt],
  );
  if (used.length === 0) {
    throw new DomainError(
      'invalid_login',
      'This login data was already used. Sign in at the provider again.',
    );
  }
}

function linkedElsewhere(): DomainError {
  return new DomainError('already_exists', 'This identity belongs to another account.');
}
