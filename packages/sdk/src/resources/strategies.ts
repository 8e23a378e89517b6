import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  CopiersLink,
  Deleted,
  StrategiesListQuery,
  Strategy,
  StrategyCreate,
  StrategyDelete,
  StrategyUpdate,
} from '../generated/records.js';

/** Strategies that copiers follow. */
export class Strategies<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your strategies. `visibility: 'PUBLIC'` lists the active public strategies of all users.
   *
   * @example
   * for await (const { name, performance } of client.strategies.list({ visibility: 'PUBLIC' })) console.log(name, performance);
   */
  list(query: StrategiesListQuery = {}, options?: RequestOptions): PagePromise<Strategy<D>> {
    return this.operations.list('strategies.list', { query }, options);
  }

  /**
   * Returns one strategy: yours, or an active public one of another user.
   *
   * @example
   * const { name, copier_count } = await client.strategies.get(strategyId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<Strategy<D>> {
    return this.operations.call('strategies.get', { params: { id } }, options);
  }

  /**
   * Creates a strategy. Copiers follow the trades that are created with its id.
   *
   * @example
   * const strategy = await client.strategies.create({
   *   name: 'Momentum',
   *   exchange_account_id: accountId,
   *   visibility: 'PUBLIC',
   * });
   */
  create(body: StrategyCreate, options?: RequestOptions): ApiPromise<Strategy<D>> {
    return this.operations.call('strategies.create', { body }, options);
  }

  /**
   * Updates or archives a strategy.
   *
   * @example
   * await client.strategies.update(strategyId, { description: 'BTC and ETH, a few trades a day.' });
   */
  update(id: string, body: StrategyUpdate, options?: RequestOptions): ApiPromise<Strategy<D>> {
    return this.operations.call('strategies.update', { params: { id }, body }, options);
  }

  /**
   * Deletes a strategy. You can still read its trades.
   *
   * @example
   * await client.strategies.delete(strategyId, { stop_copiers: true });
   */
  delete(id: string, body?: StrategyDelete, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('strategies.delete', { params: { id }, body }, options);
  }

  /**
   * Links the copiers `copier_ids` to the strategy. If one cannot be linked, none is. Does not start the copiers.
   *
   * @example
   * await client.strategies.linkCopiers(strategyId, { copier_ids: [copierId] });
   */
  linkCopiers(id: string, body: CopiersLink, options?: RequestOptions): ApiPromise<Strategy<D>> {
    return this.operations.call('strategies.linkCopiers', { params: { id }, body }, options);
  }
}
