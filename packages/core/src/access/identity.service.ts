/**
 * Linking a key pair to an account: the server draws a challenge, the key signs it.
 *
 * 1. A challenge is good once, for five minutes, and where it was drawn for a key, for that key alone.
 * 2. With a credential beside it that has ADMIN, the key joins that account; without one, an account is opened
 *    for the key, where the deployment allows it.
 * 3. A key belongs to one account at a time. Proving it again answers with what is there.
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
import {
  identityMessage,
  isValidPublicKey,
  type VerifyEngine,
  verifyMessage,
} from '@trading-automation/signed-request';
import { IsNull } from 'typeorm';
import {
  type Actor,
  authorise,
  type CommandRunner,
  emitEvent,
  type IdempotencyContext,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { meView, publicKeyView } from './access.view.js';
import { assertNotRevoked } from './credential-guards.queries.js';
import { notifyCredentialChange } from './credential-lookup.service.js';
import { openAccount } from './open-account.js';
import { PublicKeyEntity } from './public-key.entity.js';
import { UserEntity } from './user.entity.js';
import { lockUser } from './user-lock.queries.js';

const CHALLENGE_SECONDS = 300;
const NEW_ACCOUNT = {
  email: null,
  deniedMessage: 'Accounts are not opened here: link the key with an ADMIN credential of an account.',
};

export interface IdentityDependencies {
  readonly platform: Platform;
  readonly commands: CommandRunner;
  readonly engine: VerifyEngine;
  /** Whether a key that belongs to nobody opens an account of its own. */
  readonly openRegistration: boolean;
}

export interface LinkedIdentity {
  readonly identity: PublicKey;
  /** False where the key was linked before. */
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

  /** `actor` is null where no credential stands beside the signature. */
  async identify(
    actor: Actor | null,
    input: CliIdentityCreate,
    once: IdempotencyContext | undefined = actor?.idempotency,
  ): Promise<LinkedIdentity> {
    if (actor !== null) authorise(actor, 'ADMIN');
    const { challenge, pubkey, signature } = input;
    if (!isValidPublicKey(pubkey)) {
      throw invalidField('pubkey', 'Expected a compressed point of secp256k1 in lower-case hex.');
    }
    const message = identityMessage(challenge, pubkey);
    if (!verifyMessage({ message, signature, publicKey: pubkey }, this.dependencies.engine)) {
      throw new DomainError('invalid_signature', undefined, [
        {
          field: 'signature',
          code: 'invalid',
          message: 'It does not verify over svc-cli-identity, challenge and pubkey.',
        },
      ]);
    }
    const link = () => this.dependencies.commands.run(once, (tx) => this.link(tx, actor, input));
    try {
      return await link();
    } catch (error) {
      if (!isUniqueViolation(error, 'public_keys_active_pubkey_key')) throw error;
      // Somebody linked the key at the same moment. All of ours was undone; what stands now decides.
      return link();
    }
  }

  private async link(tx: Tx, actor: Actor | null, input: CliIdentityCreate): Promise<LinkedIdentity> {
    if (actor !== null) {
      await lockUser(tx, actor.userId);
      await assertNotRevoked(tx, actor);
    }
    await useChallenge(tx, input);
    const linked = await tx.findOneBy(PublicKeyEntity, { pubkey: input.pubkey, revokedAt: IsNull() });
    if (linked !== null) {
      if (actor !== null && actor.userId !== linked.userId) throw linkedElsewhere();
      return { identity: publicKeyView(linked), isNew: false };
    }
    const userId = actor?.userId ?? (await openAccount(tx, this.dependencies.openRegistration, NEW_ACCOUNT));
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

async function useChallenge(tx: Tx, { challenge, pubkey }: CliIdentityCreate): Promise<void> {
  const [rows] = await tx.query(
    `DELETE FROM cli_challenges WHERE challenge = $1 AND expires_at > now() AND coalesce(pubkey, $2) = $2
     RETURNING challenge`,
    [challenge, pubkey],
  );
  if (rows.length === 1) return;
  throw invalidField(
    'challenge',
    'Unknown, used before, expired, or drawn for another key: ask for a new one.',
  );
}

function linkedElsewhere(): DomainError {
  return new DomainError('already_exists', undefined, [
    { field: 'pubkey', code: 'already_exists', message: 'The key belongs to another account.' },
  ]);
}

function invalidField(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'invalid', message }]);
}
