import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Deleted, PublicKey, PublicKeysListQuery } from '../generated/records.js';

export class PublicKeys<D extends DecimalForm> extends Resource<D> {
  /**
   * The public keys of the account; revoked ones with `include=revoked`.
   *
   * @example
   * for await (const { label, pubkey } of client.publicKeys.list()) console.log(label, pubkey);
   */
  list(query: PublicKeysListQuery = {}, options?: RequestOptions): PagePromise<PublicKey> {
    return this.caller.list('publicKeys.list', { query }, options);
  }

  /**
   * Revokes a public key at once; the last ADMIN credential stays. It may be linked again.
   *
   * @example
   * await client.publicKeys.revoke(publicKeyId);
   */
  revoke(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.caller.call('publicKeys.revoke', { params: { id } }, options);
  }
}
