/**
 * Links a key pair to an account: the server issues a challenge, and the key signs it.
 *
 * 1. A challenge can be used once and expires after five minutes. A challenge issued for a key is valid for that key
 *    only.
 * 2. If the request also carries a credential with ADMIN, the key joins that account. Without a credential an account
 *    is opened for the key, if the deployment allows it.
 * 3. The credential must neither expire nor have an allow-list, because a public key has neither. A user has at most
 *    20 public keys.
 * 4. A key belongs to one account at a time. Linking it again returns the existing link.
 */
import { randomBytes } from 'node:crypto';
import {
  accessOperations,
  type CliChallenge,
  type CliIdentityCreate,
  DomainError,
  type Me,
  type PublicKey,
  publicKey as publicKeySchema,
} from '@trading-automation/contracts';
import { isUniqueViolation, newUuid, type Tx } from '@trading-automation/persistence';
import type { VerifyEngine } from '@trading-automation/signed-request';
import { IsNull } from 'typeorm';
import {
  type Actor,
  authorise,
  type CommandRunner,
  emitEvent,
  type IdempotencyContext,
  limitReached,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { meView, publicKeyView } from './access.view.js';
import { assertUnlimited } from './child-rights.rules.js';
import { notifyCredentialChange } from './credential-lookup.service.js';
import { assertIdentityProof, consumeChallenge } from './identity-proof.js';
import { openAccount } from './open-account.js';
import { readParentRights } from './parent-rights.queries.js';
import { PublicKeyEntity } from './public-key.entity.js';
import { UserEntity } from './user.entity.js';
import { lockUser } from './user-lock.queries.js';

const CHALLENGE_SECONDS = 300;
/** The most public keys that a user may have linked at the same time. */
const PUBLIC_KEYS_MAX = 20;
const NEW_ACCOUNT = {
  email: null,
  deniedMessage:
    'This deployment does not open accounts. Link the key with an ADMIN credential of an account.',
};

export interface IdentityDependencies {
  readonly platform: Platform;
  readonly commands: CommandRunner;
  readonly engine: VerifyEngine;
  /** Whether an unlinked key may open a new account. */
  readonly isRegistrationOpen: boolean;
}

export interface LinkedIdentity {
  readonly identity: PublicKey;
  /** False if the key was already linked. */
  readonly isNew: boolean;
}

export class IdentityService {
  constructor(private readonly dependencies: IdentityDependencies) {}

  async me(actor: Actor): Promise<Me> {
    authorise(actor, accessOperations.me.access);
    const { database, world } = this.dependencies.platform;
    const user = await database.manager.findOneByOrFail(UserEntity, { id: actor.userId });
    return meView(user, actor, world);
  }

  async challenge(query: { pubkey?: string | undefined }): Promise<CliChallenge> {
    const challenge = randomBytes(32).toString('hex');
    const { database } = this.dependencies.platform;
    await database.query(
      `DELETE FROM cli_challenges WHERE challenge IN
         (SELECT challenge FROM cli_challenges WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
    const [row] = await database.query(
      `INSERT INTO cli_challenges (challenge, pubkey, expires_at)
       VALUES ($1, $2, now() + $3 * interval '1 second') RETURNING expires_at`,
      [challenge, query.pubkey ?? null, CHALLENGE_SECONDS],
    );
    return { challenge, expires_at: row.expires_at.toISOString() };
  }

  /**
   * Links a public key to an account.
   *
   * @param actor null if the request carries no credential in addition to the signature
   */
  async identify(
    actor: Actor | null,
    input: CliIdentityCreate,
    idempotency: IdempotencyContext | undefined = actor?.idempotency,
  ): Promise<LinkedIdentity> {
    if (actor !== null) authorise(actor, 'ADMIN');
    assertIdentityProof(input, this.dependencies.engine);
    const link = () => this.dependencies.commands.run(idempotency, (tx) => this.link(tx, actor, input));
    try {
      return await link();
    } catch (error) {
      if (!isUniqueViolation(error, 'public_keys_active_pubkey_key')) throw error;
      // A concurrent request linked the key, so this transaction was rolled back. Try again with the committed state.
      return link();
    }
  }

  private async link(tx: Tx, actor: Actor | null, input: CliIdentityCreate): Promise<LinkedIdentity> {
    if (actor !== null) await lockUser(tx, actor.userId);
    const parent = actor === null ? null : await readParentRights(tx, actor);
    await consumeChallenge(tx, input);
    const linked = await tx.findOneBy(PublicKeyEntity, { pubkey: input.pubkey, revokedAt: IsNull() });
    if (linked !== null) {
      if (actor !== null && actor.userId !== linked.userId) throw linkedElsewhere();
      return { identity: publicKeyView(linked), isNew: false };
    }
    await assertNoSession(tx, input.pubkey);
    if (actor !== null && parent !== null) {
      // A public key acts with ADMIN, never expires and works from every address.
      assertUnlimited(parent);
      await assertBelowLimit(tx, actor.userId);
    }
    const userId =
      actor?.userId ?? (await openAccount(tx, this.dependencies.isRegistrationOpen, NEW_ACCOUNT));
    const entity = tx.create(PublicKeyEntity, {
      id: newUuid(),
      userId,
      pubkey: input.pubkey,
      label: input.label ?? null,
      lastUsedAt: null,
      revokedAt: null,
    });
    const record = publicKeyView(await tx.save(entity));
    await emitEvent(tx, { userId, type: 'public_key.linked', schema: publicKeySchema, record });
    await notifyCredentialChange(tx);
    return { identity: record, isNew: true };
  }
}

/** The caller holds the user's lock. Keys beyond the limit, linked before it was introduced, stay linked. */
async function assertBelowLimit(tx: Tx, userId: string): Promise<void> {
  const count = await tx.countBy(PublicKeyEntity, { userId, revokedAt: IsNull() });
  if (count >= PUBLIC_KEYS_MAX) throw limitReached('public keys', PUBLIC_KEYS_MAX);
}

/** A signature identifies one credential. @throws {DomainError} `already_exists` if a browser session uses the key pair */
async function assertNoSession(tx: Tx, pubkey: string): Promise<void> {
  const sessions = await tx.query('SELECT FROM browser_sessions WHERE pubkey = $1', [pubkey]);
  if (sessions.length > 0) throw keyInUse('A browser session uses the key pair. Make another one.');
}

const linkedElsewhere = () => keyInUse('The key belongs to another account.');

function keyInUse(message: string): DomainError {
  return new DomainError('already_exists', undefined, [{ field: 'pubkey', code: 'already_exists', message }]);
}
