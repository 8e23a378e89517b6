import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  CredentialsTestResult,
  Deleted,
  ExchangeAccount,
  ExchangeAccountCreate,
  ExchangeAccountTest,
  ExchangeAccountUpdate,
  ExchangesListQuery,
} from '../generated/records.js';

/** Connected exchange accounts. */
export class Exchanges<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your exchange accounts.
   *
   * @example
   * for await (const account of client.exchanges.list()) console.log(account.account_name, account.balance);
   */
  list(query: ExchangesListQuery = {}, options?: RequestOptions): PagePromise<ExchangeAccount<D>> {
    return this.operations.list('exchanges.list', { query }, options);
  }

  /**
   * Returns one exchange account.
   *
   * @example
   * const { balance, last_sync_at } = await client.exchanges.get(accountId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<ExchangeAccount<D>> {
    return this.operations.call('exchanges.get', { params: { id } }, options);
  }

  /**
   * Connects an exchange account. Its credentials are tested before they are stored.
   *
   * @example
   * const account = await client.exchanges.create({
   *   exchange: 'paper',
   *   account_name: 'practice',
   *   trading_type: 'spot',
   *   credentials,
   * });
   */
  create(body: ExchangeAccountCreate, options?: RequestOptions): ApiPromise<ExchangeAccount<D>> {
    return this.operations.call('exchanges.create', { body }, options);
  }

  /**
   * Renames an exchange account or replaces its credentials. Its balances, positions and copiers do not change.
   *
   * @example
   * await client.exchanges.update(accountId, { account_name: 'main' });
   */
  update(id: string, body: ExchangeAccountUpdate, options?: RequestOptions): ApiPromise<ExchangeAccount<D>> {
    return this.operations.call('exchanges.update', { params: { id }, body }, options);
  }

  /**
   * Deletes an exchange account. It must have no open trades or lots, no active strategy and no running copier.
   *
   * @example
   * await client.exchanges.delete(unusedAccountId);
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('exchanges.delete', { params: { id } }, options);
  }

  /**
   * Tests credentials without storing them.
   *
   * @example
   * const { can_trade, can_withdraw } = await client.exchanges.test({
   *   exchange: 'paper',
   *   trading_type: 'spot',
   *   credentials,
   * });
   */
  test(body: ExchangeAccountTest, options?: RequestOptions): ApiPromise<CredentialsTestResult> {
    return this.operations.call('exchanges.test', { body }, options);
  }

  /**
   * Requests the balances from the exchange. The event `exchange.synced` reports when they are updated.
   *
   * @example
   * await client.exchanges.sync(accountId);
   */
  sync(id: string, options?: RequestOptions): ApiPromise<ExchangeAccount<D>> {
    return this.operations.call('exchanges.sync', { params: { id } }, options);
  }
}
