import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { LeverageSettings, LeverageUpdate, Position, PositionsListQuery } from '../generated/records.js';

/** Positions in perpetuals, and the leverage of accounts. */
export class Positions<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your open positions.
   *
   * @example
   * for await (const position of client.positions.list()) console.log(position.symbol, position.side, position.amount);
   */
  list(query: PositionsListQuery = {}, options?: RequestOptions): PagePromise<Position<D>> {
    return this.operations.list('positions.list', { query }, options);
  }

  /**
   * Sets the leverage, and on request the margin mode, of an exchange account for a perpetual.
   *
   * @example
   * const update = { trade_pair_id: pairId, leverage: '5', margin_mode: 'CROSS' } as const;
   * const settings = await client.positions.setLeverage(accountId, update).catch((error) => {
   *   // A spot account has no leverage, and every market has a highest one.
   *   console.log(error.code, error.message);
   * });
   * if (settings) console.log(settings.leverage, settings.max_leverage);
   */
  setLeverage(
    exchangeAccountId: string,
    body: LeverageUpdate,
    options?: RequestOptions,
  ): ApiPromise<LeverageSettings<D>> {
    return this.operations.call(
      'positions.setLeverage',
      { params: { id: exchangeAccountId }, body },
      options,
    );
  }
}
