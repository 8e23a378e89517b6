import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  Copier,
  CopierCreate,
  CopierStart,
  CopierStop,
  CopiersDecisionsQuery,
  CopiersListQuery,
  CopierUpdate,
  Decision,
  Deleted,
  ProfitShareAccept,
  Simulation,
  SimulationAsked,
  StoppedCopier,
} from '../generated/records.js';

/** Copiers: each copies the trades of one strategy to one exchange account. */
export class Copiers<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your copiers.
   *
   * @example
   * for await (const { name, status } of client.copiers.list({ status: 'ACTIVE' })) console.log(name, status);
   */
  list(query: CopiersListQuery = {}, options?: RequestOptions): PagePromise<Copier<D>> {
    return this.operations.list('copiers.list', { query }, options);
  }

  /**
   * Returns one copier.
   *
   * @example
   * const { status, status_reason } = await client.copiers.get(copierId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<Copier<D>> {
    return this.operations.call('copiers.get', { params: { id } }, options);
  }

  /**
   * Creates a copier. It is PAUSED until it is started.
   *
   * @example
   * const copier = await client.copiers.create({
   *   name: 'half size',
   *   strategy_id: strategyId,
   *   exchange_account_id: otherAccountId,
   *   sizing: { mode: 'MULTIPLIER', value: '0.5' },
   *   limits: { max_trade_quote: '500' },
   * });
   */
  create(body: CopierCreate, options?: RequestOptions): ApiPromise<Copier<D>> {
    return this.operations.call('copiers.create', { body }, options);
  }

  /**
   * Updates a copier. New sizing and limits apply to lots opened after the update.
   *
   * @example
   * await client.copiers.update(copierId, { limits: { max_daily_loss_quote: '200' } });
   */
  update(id: string, body: CopierUpdate, options?: RequestOptions): ApiPromise<Copier<D>> {
    return this.operations.call('copiers.update', { params: { id }, body }, options);
  }

  /**
   * Deletes a PAUSED copier. Its trades remain readable.
   *
   * @example
   * await client.copiers.delete(copierId);
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('copiers.delete', { params: { id } }, options);
  }

  /**
   * Starts a copier. From now on it copies the lots that its strategy opens.
   *
   * @example
   * await client.copiers.start(copierId);
   */
  start(id: string, body?: CopierStart, options?: RequestOptions): ApiPromise<Copier<D>> {
    return this.operations.call('copiers.start', { params: { id }, body }, options);
  }

  /**
   * Stops a copier: it opens no more lots. `PAUSED` copies no exits either; `CLOSE_ONLY` still copies exits. The
   * response lists the open lots that the copier will not close automatically.
   *
   * @example
   * const { open_lots } = await client.copiers.stop(copierId, { mode: 'PAUSED' });
   */
  stop(id: string, body?: CopierStop, options?: RequestOptions): ApiPromise<StoppedCopier<D>> {
    return this.operations.call('copiers.stop', { params: { id }, body }, options);
  }

  /**
   * Accepts the profit share that the strategy offers, from the next period on. Throws a `ConflictError` if the strategy
   * offers other terms by now.
   *
   * @example
   * await client.copiers.acceptProfitShare(copierId, { rate: '0.1', period: 'MONTH' });
   */
  acceptProfitShare(id: string, body: ProfitShareAccept, options?: RequestOptions): ApiPromise<Copier<D>> {
    return this.operations.call('copiers.acceptProfitShare', { params: { id }, body }, options);
  }

  /**
   * Lists the copier's decision for every signal: COPIED, CLAMPED (reduced), SKIPPED, FAILED, or PENDING until it is final.
   * Also works for deleted copiers.
   *
   * @example
   * for await (const { outcome, code } of client.copiers.decisions(copierId)) console.log(outcome, code);
   */
  decisions(
    id: string,
    query: CopiersDecisionsQuery = {},
    options?: RequestOptions,
  ): PagePromise<Decision<D>> {
    return this.operations.list('copiers.decisions', { params: { id }, query }, options);
  }

  /**
   * Simulates what the copier would have done with its strategy's past signals, had it been started just before them.
   * Places no orders.
   *
   * @example
   * const { copied, skipped_by_reason, net_pnl } = await client.copiers.simulate(copierId);
   */
  simulate(id: string, body?: SimulationAsked, options?: RequestOptions): ApiPromise<Simulation<D>> {
    return this.operations.call('copiers.simulate', { params: { id }, body }, options);
  }
}
