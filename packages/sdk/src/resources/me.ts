import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Me, MePatch } from '../generated/records.js';

/** The caller's own account. */
export class MeResource<D extends DecimalForm> extends Resource<D> {
  /**
   * Returns the account and the credential of the caller.
   *
   * @example
   * const { id, credential } = await client.me.get();
   * console.log(id, credential.permissions);
   */
  get(options?: RequestOptions): ApiPromise<Me> {
    return this.caller.call('me.get', {}, options);
  }

  /**
   * Updates the account. A new e-mail address takes effect once the link sent to it is opened.
   *
   * @example
   * await client.me.update({ email: 'trader@example.com' });
   */
  update(body: MePatch, options?: RequestOptions): ApiPromise<Me> {
    return this.caller.call('me.update', { body }, options);
  }
}
