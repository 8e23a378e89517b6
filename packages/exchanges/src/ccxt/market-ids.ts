import type { CcxtClient } from './ccxt-client.js';

/** Returns the symbol of the exchange's name of a market; undefined if the client has loaded no such market. */
export function symbolOfMarketId(ccxt: CcxtClient, marketId: string): string | undefined {
  return ccxt.markets_by_id?.[marketId]?.[0]?.symbol;
}
