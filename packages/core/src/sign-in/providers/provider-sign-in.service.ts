/**
 * Sign-in by what somebody is at a provider. Kept until v2.0.
 *
 * 1. A subject of a provider belongs to one account, for good. Whoever comes first opens one, where the deployment
 *    allows it; two at the same moment get the same.
 * 2. An e-mail address joins nothing: an account that has it, verified or not, is not entered by it. A new account
 *    begins with it where the provider verified it.
 * 3. With a credential beside it that has ADMIN, the subject joins that account; never two accounts.
 * 4. What proves an identity and is good once is used in the transaction that lets its user in.
 */
import { DomainError } from '@trading-automation/contracts';
import { inTransaction, isUniqueViolation, type Tx } from '@trading-automation/persistence';
import { assertNotRevoked, lockUser } from '../../access/index.js';
import { type Actor, authorise } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import type { SessionsService } from '../sessions.service.js';
import type { SignInResult, SignInService } from '../sign-in.service.js';

/** Who somebody is at a provider, once that is proved. */
export interface ProviderIdentity {
  readonly provider: 'google' | 'apple' | 'x' | 'telegram';
  /** The provider's own id of the user, which never passes to another. */
  readonly subject: string;
  readonly email?: string | undefined;
  readonly emailVerified: boolean;
  /** Set where the proof is good once: its hash, and until when it could come again. */
  readonly proof?: { readonly hash: Buffer; readonly expiresAt: Date };
}

export interface ProviderSignInDependencies {
  readonly platform: Platform;
  readonly sessions: SessionsService;
  readonly signIn: SignInService;
}

export class ProviderSignInService {
  constructor(private readonly dependencies: ProviderSignInDependencies) {}

  /** `actor` is null where no credential stands beside the identity. */
  async signIn(actor: Actor | null, identity: ProviderIdentity): Promise<SignInResult> {
    if (actor !== null) authorise(actor, 'ADMIN');
    const enter = () =>
      inTransaction(this.dependencies.platform.database, (tx) => this.signInOrLink(tx, actor, identity));
    try {
      return await enter();
    } catch (error) {
      if (!isUniqueViolation(error, 'provider_identities_pkey')) throw error;
      // Somebody came with the same subject at the same moment. All of ours was undone; what stands now decides.
      return enter();
    }
  }

  private async signInOrLink(tx: Tx, actor: Actor | null, identity: ProviderIdentity): Promise<SignInResult> {
    if (actor !== null) {
      await lockUser(tx, actor.userId);
      await assertNotRevoked(tx, actor);
    }
    if (identity.proof !== undefined) await useProof(tx, identity.proof);
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
  const [found] = await tx.query(
    'SELECT user_id FROM provider_identities WHERE provider = $1 AND subject = $2',
    [provider, subject],
  );
  return found?.user_id ?? null;
}

async function link(tx: Tx, userId: string, { provider, subject }: ProviderIdentity): Promise<void> {
  await tx.query(
    `INSERT INTO provider_identities (provider, subject, user_id, created_at)
     VALUES ($1, $2, $3, clock_timestamp())`,
    [provider, subject, userId],
  );
}

/** Of two that use the same proof at once the second waits for the first, and is refused once that stands. */
async function useProof(tx: Tx, { hash, expiresAt }: NonNullable<ProviderIdentity['proof']>): Promise<void> {
  const used = await tx.query(
    'INSERT INTO used_login_data (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING hash',
    [hash, expiresAt],
  );
  if (used.length === 0) {
    throw new DomainError('invalid_login', 'This login data was used before. Sign in at the provider again.');
  }
}

function linkedElsewhere(): DomainError {
  return new DomainError('already_exists', 'This identity belongs to another account.');
}
