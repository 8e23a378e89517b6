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

export class ApiKeys<D extends DecimalForm> extends Resource<D> {
  /**
   * The API keys of the account; revoked ones with `include=revoked`.
   *
   * @example
   * for await (const key of client.apiKeys.list()) console.log(key.name, key.last_used_at);
   */
  list(query: ApiKeysListQuery = {}, options?: RequestOptions): PagePromise<ApiKey> {
    return this.caller.list('apiKeys.list', { query }, options);
  }

  /**
   * Makes an API key that may do no more than its maker.
   *
   * @example
   * const { key } = await client.apiKeys.create({ name: 'bot', permissions: ['READ', 'TRADE'] });
   * console.log(key.slice(0, 9)); // the whole key is shown this once
   */
  create(body: ApiKeyCreate, options?: RequestOptions): ApiPromise<ApiKeyWithValue> {
    return this.caller.call('apiKeys.create', { body }, options);
  }

  /**
   * Revokes an API key at once; the last ADMIN credential stays.
   *
   * @example
   * const { id } = await client.apiKeys.create({ name: 'of a day' });
   * await client.apiKeys.revoke(id);
   */
  revoke(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.caller.call('apiKeys.revoke', { params: { id } }, options);
  }

  /**
   * Gives an API key a new value, and ends the old one at once.
   *
   * @example
   * const { id } = await client.apiKeys.create({ name: 'rotated monthly' });
   * const { key } = await client.apiKeys.rotate(id);
   */
  rotate(id: string, options?: RequestOptions): ApiPromise<ApiKeyWithValue> {
    return this.caller.call('apiKeys.rotate', { params: { id } }, options);
  }
}
