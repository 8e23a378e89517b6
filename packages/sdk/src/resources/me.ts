import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Me, MePatch } from '../generated/records.js';

export class MeResource<D extends DecimalForm> extends Resource<D> {
  /**
   * The account and the credential that ask.
   *
   * @example
   * const { id, credential } = await client.me.get();
   * console.log(id, credential.permissions);
   */
  get(options?: RequestOptions): ApiPromise<Me> {
    return this.caller.call('me.get', {}, options);
  }

  /**
   * Changes the account. A new e-mail address is sent a link; it counts once that was opened.
   *
   * @example
   * await client.me.update({ email: 'trader@example.com' });
   */
  update(body: MePatch, options?: RequestOptions): ApiPromise<Me> {
    return this.caller.call('me.update', { body }, options);
  }
}
