import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Withdrawal, WithdrawalCreate, WithdrawalsListQuery } from '../generated/records.js';

export class Withdrawals<D extends DecimalForm> extends Resource<D> {
  /**
   * Your withdrawals of reward tokens.
   *
   * @example
   * for await (const { amount, status } of client.withdrawals.list()) console.log(amount, status);
   */
  list(query: WithdrawalsListQuery = {}, options?: RequestOptions): PagePromise<Withdrawal<D>> {
    return this.caller.list('withdrawals.list', { query }, options);
  }

  /**
   * One withdrawal.
   *
   * @example
   * const { status, tx_hash } = await client.withdrawals.get(withdrawalId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<Withdrawal<D>> {
    return this.caller.call('withdrawals.get', { params: { id } }, options);
  }

  /**
   * Asks for a payout of reward tokens; the amount is held at once.
   *
   * @example
   * const withdrawal = await client.withdrawals.create({
   *   amount: '0.5',
   *   wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
   * });
   */
  create(body: WithdrawalCreate, options?: RequestOptions): ApiPromise<Withdrawal<D>> {
    return this.caller.call('withdrawals.create', { body }, options);
  }

  /**
   * Cancels a withdrawal that is PENDING, and gives back what it held.
   *
   * @example
   * await client.withdrawals.cancel(withdrawalId);
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<Withdrawal<D>> {
    return this.caller.call('withdrawals.cancel', { params: { id } }, options);
  }
}
