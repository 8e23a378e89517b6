import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  Deleted,
  WithdrawalAddress,
  WithdrawalAddressCreate,
  WithdrawalAddressesListQuery,
} from '../generated/records.js';

/** The address book of withdrawals. */
export class WithdrawalAddresses<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists the addresses that you can withdraw to.
   *
   * @example
   * for await (const { address, status } of client.withdrawalAddresses.list()) console.log(address, status);
   */
  list(query: WithdrawalAddressesListQuery = {}, options?: RequestOptions): PagePromise<WithdrawalAddress> {
    return this.operations.list('withdrawalAddresses.list', { query }, options);
  }

  /**
   * Returns one withdrawal address.
   *
   * @example
   * const { status, usable_at } = await client.withdrawalAddresses.get(withdrawalAddressId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<WithdrawalAddress> {
    return this.operations.call('withdrawalAddresses.get', { params: { id } }, options);
  }

  /**
   * Adds a withdrawal address and mails a link that confirms it.
   *
   * @example
   * const entry = await client.withdrawalAddresses.create({
   *   address: '0x52908400098527886E0F7030069857D2E4169EE7',
   *   label: 'Hardware wallet',
   * });
   */
  create(body: WithdrawalAddressCreate, options?: RequestOptions): ApiPromise<WithdrawalAddress> {
    return this.operations.call('withdrawalAddresses.create', { body }, options);
  }

  /**
   * Deletes a withdrawal address. In the live world, PENDING withdrawals to it fail when their payout begins.
   *
   * @example
   * await client.withdrawalAddresses.delete(withdrawalAddressId);
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('withdrawalAddresses.delete', { params: { id } }, options);
  }
}
