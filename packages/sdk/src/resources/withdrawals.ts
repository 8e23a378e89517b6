import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Withdrawal, WithdrawalCreate, WithdrawalsListQuery } from '../generated/records.js';

/** Withdrawals of reward tokens. */
export class Withdrawals<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your withdrawals of reward tokens.
   *
   * @example
   * for await (const { amount, status } of client.withdrawals.list()) console.log(amount, status);
   */
  list(query: WithdrawalsListQuery = {}, options?: RequestOptions): PagePromise<Withdrawal<D>> {
    return this.operations.list('withdrawals.list', { query }, options);
  }

  /**
   * Returns one withdrawal.
   *
   * @example
   * const { status, tx_hash } = await client.withdrawals.get(withdrawalId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<Withdrawal<D>> {
    return this.operations.call('withdrawals.get', { params: { id } }, options);
  }

  /**
   * Requests a payout of reward tokens. The amount is held immediately.
   *
   * @example
   * const withdrawal = await client.withdrawals.create({
   *   amount: '0.5',
   *   wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
   * });
   */
  create(body: WithdrawalCreate, options?: RequestOptions): ApiPromise<Withdrawal<D>> {
    return this.operations.call('withdrawals.create', { body }, options);
  }

  /**
   * Cancels a PENDING withdrawal and releases the held amount.
   *
   * @example
   * await client.withdrawals.cancel(withdrawalId);
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<Withdrawal<D>> {
    return this.operations.call('withdrawals.cancel', { params: { id } }, options);
  }
}
