import {
  accessOperations,
  DomainError,
  decodeId,
  encodeId,
  type PublicKey,
  publicKey as publicKeySchema,
} from '@trading-automation/contracts';
import { allColumns, hydrate, type Tx } from '@trading-automation/persistence';
import {
  type Actor,
  authorise,
  type CommandRunner,
  emitEvent,
  invalidState,
  type ListQuery,
  type ListReader,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { publicKeyView } from './access.view.js';
import { assertNotLastAdminCredential } from './credential-guards.queries.js';
import { invalidateCredentialCache, notifyCredentialChange } from './credential-lookup.service.js';
import { PublicKeyEntity } from './public-key.entity.js';
import { lockUser } from './user-lock.queries.js';

const COLUMNS = allColumns(PublicKeyEntity, 'p');

/** Lists and revokes the public keys of an account; {@link IdentityService} links them. */
export class PublicKeysService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
    private readonly commands: CommandRunner,
  ) {}

  async list(actor: Actor, query: ListQuery): Promise<PageWithCursors<PublicKey>> {
    authorise(actor, accessOperations.listPublicKeys.access);
    const where = ['p.user_id = $1'];
    if (!query.include.includes('revoked')) where.push('p.revoked_at IS NULL');
    const source = {
      select: COLUMNS(this.platform.database),
      from: 'public_keys p',
      where,
      params: [actor.userId],
      sorts: { created_at: { column: 'p.created_at', type: 'timestamptz' as const } },
      idColumn: 'p.id',
    };
    const page = await this.lists.page(accessOperations.listPublicKeys, actor.userId, source, query);
    const keys = hydrate(this.platform.database, PublicKeyEntity, page.items);
    return { ...page, items: keys.map(publicKeyView) };
  }

  /**
   * Revokes the key. This process accepts none of its signatures from the response on, every other process from the
   * arrival of the notification. The holder of the private key may link the public key again.
   */
  async revoke(actor: Actor, id: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, accessOperations.revokePublicKey.access);
    const revoked = await this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const entity = await ownActiveKey(tx, actor, id);
      entity.revokedAt = new Date();
      await tx.save(entity);
      await assertNotLastAdminCredential(tx, actor.userId);
      const record = publicKeyView(entity);
      await emitEvent(tx, { userId: actor.userId, type: 'key.revoked', schema: publicKeySchema, record });
      await notifyCredentialChange(tx);
      return { id: encodeId('pbk', entity.id), deleted: true as const };
    });
    invalidateCredentialCache(this.platform);
    return revoked;
  }
}

async function ownActiveKey(tx: Tx, actor: Actor, id: string): Promise<PublicKeyEntity> {
  const uuid = decodeId('pbk', id);
  const entity =
    uuid === null ? null : await tx.findOneBy(PublicKeyEntity, { id: uuid, userId: actor.userId });
  if (entity === null) throw new DomainError('not_found');
  if (entity.revokedAt === null) return entity;
  const message = 'The public key is revoked.';
  throw invalidState(message, 'REVOKED');
}
