import {
  type ApiKey,
  type ApiKeyCreate,
  type ApiKeyWithValue,
  accessOperations,
  apiKey as apiKeySchema,
  DomainError,
  decodeId,
  encodeId,
} from '@trading-automation/contracts';
import { allColumns, hydrate, newUuid, type Tx } from '@trading-automation/persistence';
import {
  type Actor,
  authorise,
  type CommandRunner,
  emitEvent,
  invalidState,
  type ListQuery,
  type ListReader,
  limitReached,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { apiKeyView } from './access.view.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { issueApiKey } from './api-key.js';
import { childRights } from './child-rights.rules.js';
import { assertNotLastAdminCredential } from './credential-guards.queries.js';
import { invalidateCredentialCache, notifyCredentialChange } from './credential-lookup.service.js';
import { readParentRights } from './parent-rights.queries.js';
import { lockUser } from './user-lock.queries.js';

const API_KEYS_MAX = 50;

const COLUMNS = allColumns(ApiKeyEntity, 'k');

/** Lists, creates, rotates and revokes the API keys of an account. */
export class ApiKeysService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
    private readonly commands: CommandRunner,
  ) {}

  async list(actor: Actor, query: ListQuery): Promise<PageWithCursors<ApiKey>> {
    authorise(actor, accessOperations.listApiKeys.access);
    const where = ['k.user_id = $1'];
    if (!query.include.includes('revoked')) where.push('k.revoked_at IS NULL');
    const source = {
      select: COLUMNS(this.platform.database),
      from: 'api_keys k',
      where,
      params: [actor.userId],
      sorts: {
        created_at: { column: 'k.created_at', type: 'timestamptz' },
        name: { column: 'k.name', type: 'text' },
      },
      idColumn: 'k.id',
    } as const;
    const page = await this.lists.page(accessOperations.listApiKeys, actor.userId, source, query);
    const keys = hydrate(this.platform.database, ApiKeyEntity, page.items);
    return { ...page, items: keys.map(apiKeyView) };
  }

  async create(actor: Actor, input: ApiKeyCreate): Promise<ApiKeyWithValue> {
    authorise(actor, accessOperations.createApiKey.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      assertInFuture(input.expires_at);
      await lockUser(tx, actor.userId);
      const { permissions, expiresAt, ipAllowlist } = childRights(await readParentRights(tx, actor), {
        permissions: input.permissions,
        expiresAt: input.expires_at === undefined ? undefined : new Date(input.expires_at),
        ipAllowlist: input.ip_allowlist,
      });
      const [{ count }] = await tx.query(
        'SELECT count(*)::int AS count FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL',
        [actor.userId],
      );
      if (count >= API_KEYS_MAX) throw tooManyKeys();
      const { key, prefix, lastFour, hash } = issueApiKey(this.platform.world);
      const entity = tx.create(ApiKeyEntity, {
        id: newUuid(),
        userId: actor.userId,
        name: input.name,
        prefix,
        lastFour,
        hash,
        permissions: [...permissions],
        ipAllowlist: [...ipAllowlist],
        expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      });
      const record = apiKeyView(await tx.save(entity));
      await emitEvent(tx, { userId: actor.userId, type: 'key.created', schema: apiKeySchema, record });
      return { ...record, key };
    });
  }

  /**
   * Replaces the key's value; the old value stops working immediately. Id, permissions, expiry and allow-list stay the
   * same.
   *
   * @throws {DomainError} `permission_denied` if the key has rights that the caller's credential lacks
   */
  async rotate(actor: Actor, id: string): Promise<ApiKeyWithValue> {
    authorise(actor, accessOperations.rotateApiKey.access);
    const rotated = await this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const parent = await readParentRights(tx, actor);
      const entity = await ownActiveKey(tx, actor, id);
      // The caller receives the new value, and with it all rights of the key.
      childRights(parent, entity);
      const { key, prefix, lastFour, hash } = issueApiKey(this.platform.world);
      Object.assign(entity, { prefix, lastFour, hash });
      const record = apiKeyView(await tx.save(entity));
      await notifyCredentialChange(tx);
      return { ...record, key };
    });
    invalidateCredentialCache(this.platform);
    return rotated;
  }

  async revoke(actor: Actor, id: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, accessOperations.revokeApiKey.access);
    const revoked = await this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const entity = await ownActiveKey(tx, actor, id);
      entity.revokedAt = new Date();
      await tx.save(entity);
      await assertNotLastAdminCredential(tx, actor.userId);
      const record = apiKeyView(entity);
      await emitEvent(tx, { userId: actor.userId, type: 'key.revoked', schema: apiKeySchema, record });
      await notifyCredentialChange(tx);
      return { id: encodeId('key', entity.id), deleted: true as const };
    });
    invalidateCredentialCache(this.platform);
    return revoked;
  }
}

function tooManyKeys(): DomainError {
  return limitReached('API keys', API_KEYS_MAX);
}

function assertInFuture(expiresAt: string | undefined): void {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return;
  throw new DomainError('validation_failed', undefined, [
    { field: 'expires_at', code: 'in_the_past', message: 'expires_at must be in the future.' },
  ]);
}

async function ownActiveKey(tx: Tx, actor: Actor, publicId: string): Promise<ApiKeyEntity> {
  const id = decodeId('key', publicId);
  const entity = id === null ? null : await tx.findOneBy(ApiKeyEntity, { id, userId: actor.userId });
  if (entity === null) throw new DomainError('not_found');
  if (entity.revokedAt !== null) {
    throw invalidState('The API key is revoked.', 'REVOKED');
  }
  return entity;
}
