import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Me, MePatch } from '../generated/records.js';

/** Your account. */
export class MeResource<D extends DecimalForm> extends Resource<D> {
  /**
   * Returns your account and the credential that the client uses.
   *
   * @example
   * const { id, credential } = await client.me.get();
   * console.log(id, credential.permissions);
   */
  get(options?: RequestOptions): ApiPromise<Me> {
    return this.operations.call('me.get', {}, options);
  }

  /**
   * Updates your account. A new e-mail address takes effect once you open the link that is mailed to it.
   *
   * @example
   * await client.me.update({ email: 'trader@example.com' });
   */
  update(body: MePatch, options?: RequestOptions): ApiPromise<Me> {
    return this.operations.call('me.update', { body }, options);
  }
}
