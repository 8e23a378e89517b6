/** Gate's order books: https://www.gate.com/docs/developers/apiv4/en/#retrieve-order-book */
import { z } from 'zod';
import { toBaseAmount } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { BookSnapshot } from '../../ccxt/declaration.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';
import { amount } from './lists.js';

/** The levels of a side that a call returns, and of which the stream of futures reports changes. */
export const DEPTH = 100;

const spotLevel = z
  .tuple([exactDecimal, exactDecimal])
  .transform(([price, size]): BookLevel => [price, size]);
const futuresLevel = z.object({ p: exactDecimal, s: amount }).transform(({ p, s }): BookLevel => [p, s]);
export const spotSide = z.array(spotLevel);
export const futuresSide = z.array(futuresLevel);

const spotBook = z.object({ id: z.number().int(), bids: spotSide, asks: spotSide });
const futuresBook = z.object({ id: z.number().int(), bids: futuresSide, asks: futuresSide });

export async function fetchSpotBook(ccxt: CcxtClient, symbol: string, depth: number): Promise<BookSnapshot> {
  const params = { currency_pair: ccxt.market(symbol).id, limit: Math.min(depth, 1_000), with_id: true };
  const response = await callEndpoint(ccxt, 'publicSpotGetOrderBook', params);
  const { id, bids, asks } = parseResponse(spotBook, response);
  return { last: id, bids, asks };
}

export async function fetchFuturesBook(
  ccxt: CcxtClient,
  symbol: string,
  depth: number,
): Promise<BookSnapshot> {
  const params = {
    settle: 'usdt',
    contract: ccxt.market(symbol).id,
    limit: Math.min(depth, 300),
    with_id: true,
  };
  const response = await callEndpoint(ccxt, 'publicFuturesGetSettleOrderBook', params);
  const { id, bids, asks } = parseResponse(futuresBook, response);
  return { last: id, bids: levelsInBase(ccxt, symbol, bids), asks: levelsInBase(ccxt, symbol, asks) };
}

/** Converts levels that are counted in contracts. */
export function levelsInBase(
  ccxt: CcxtClient,
  symbol: string,
  levels: readonly BookLevel[],
): readonly BookLevel[] {
  return levels.map(([price, contracts]) => [price, toBaseAmount(ccxt, symbol, contracts)]);
}
