import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  ApiKey,
  ApiKeyCreate,
  ApiKeysListQuery,
  ApiKeyWithValue,
  Deleted,
} from '../generated/records.js';

/** Your API keys. */
export class ApiKeys<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists the API keys of the account. `include: 'revoked'` adds the revoked ones.
   *
   * @example
   * for await (const key of client.apiKeys.list()) console.log(key.name, key.last_used_at);
   */
  list(query: ApiKeysListQuery = {}, options?: RequestOptions): PagePromise<ApiKey> {
    return this.operations.list('apiKeys.list', { query }, options);
  }

  /**
   * Creates an API key. Its permissions cannot exceed the caller's.
   *
   * @example
   * const { key } = await client.apiKeys.create({ name: 'bot', permissions: ['READ', 'TRADE'] });
   * console.log(key.slice(0, 9)); // the full key is returned only here
   */
  create(body: ApiKeyCreate, options?: RequestOptions): ApiPromise<ApiKeyWithValue> {
    return this.operations.call('apiKeys.create', { body }, options);
  }

  /**
   * Revokes an API key immediately. The last ADMIN credential of an account cannot be revoked.
   *
   * @example
   * const { id } = await client.apiKeys.create({ name: 'temporary' });
   * await client.apiKeys.revoke(id);
   */
  revoke(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('apiKeys.revoke', { params: { id } }, options);
  }

  /**
   * Replaces the value of an API key. The old value stops working immediately.
   *
   * @example
   * const { id } = await client.apiKeys.create({ name: 'rotated monthly' });
   * const { key } = await client.apiKeys.rotate(id);
   */
  rotate(id: string, options?: RequestOptions): ApiPromise<ApiKeyWithValue> {
    return this.operations.call('apiKeys.rotate', { params: { id } }, options);
  }
}
