import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Deleted, PublicKey, PublicKeysListQuery } from '../generated/records.js';

/** The public keys that are linked to your user account. */
export class PublicKeys<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists the public keys of the account. `include: 'revoked'` adds the revoked ones.
   *
   * @example
   * for await (const { label, pubkey } of client.publicKeys.list()) console.log(label, pubkey);
   */
  list(query: PublicKeysListQuery = {}, options?: RequestOptions): PagePromise<PublicKey> {
    return this.operations.list('publicKeys.list', { query }, options);
  }

  /**
   * Revokes a public key immediately; you can link it again. The last ADMIN credential of an account cannot be revoked.
   *
   * @example
   * await client.publicKeys.revoke(publicKeyId);
   */
  revoke(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('publicKeys.revoke', { params: { id } }, options);
  }
}
