import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Lot, LotClose, LotsListQuery, TradeDetail } from '../generated/records.js';

/** Lots: the amounts that fills opened, with their cost and their result. */
export class Lots<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your lots.
   *
   * @example
   * for await (const lot of client.lots.list({ status: 'OPEN' })) console.log(lot.symbol, lot.remaining_amount);
   */
  list(query: LotsListQuery = {}, options?: RequestOptions): PagePromise<Lot<D>> {
    return this.operations.list('lots.list', { query }, options);
  }

  /**
   * Returns one lot.
   *
   * @example
   * const { remaining_amount, unrealized_pnl } = await client.lots.get(lotId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<Lot<D>> {
    return this.operations.call('lots.get', { params: { id } }, options);
  }

  /**
   * Closes a lot, or a fraction of it, with a market order that closes no other lot. Returns the trade.
   *
   * @example
   * const trade = await client.lots.close(openLotId, { fraction: '0.5' });
   */
  close(id: string, body?: LotClose, options?: RequestOptions): ApiPromise<TradeDetail<D>> {
    return this.operations.call('lots.close', { params: { id }, body }, options);
  }
}
