import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { SupportedExchange, SupportedExchangesListQuery } from '../generated/records.js';

/** The exchanges that the platform supports. */
export class SupportedExchanges<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists the exchanges whose accounts can be connected.
   *
   * @example
   * for await (const { id, trading_types } of client.supportedExchanges.list()) console.log(id, trading_types);
   */
  list(query: SupportedExchangesListQuery = {}, options?: RequestOptions): PagePromise<SupportedExchange> {
    return this.operations.list('supportedExchanges.list', { query }, options);
  }
}
