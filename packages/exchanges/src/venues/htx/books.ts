/** HTX's order books: https://huobiapi.github.io/docs/spot/v1/en/#get-market-depth */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { BookSnapshot } from '../../ccxt/declaration.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';

/** The levels of a side in the stream of a book, and in a call that names no depth. */
export const DEPTH = 150;
/** The depths that a call may name. */
const DEPTHS = [5, 10, 20] as const;

export const side = z.array(
  z.tuple([jsonDecimal, jsonDecimal]).transform(([price, amount]): BookLevel => [price, amount]),
);
const book = z.object({ tick: z.object({ version: z.coerce.number(), bids: side, asks: side }) });

/** The version is no sequence number of the stream. */
export async function fetchHtxBook(ccxt: CcxtClient, symbol: string, depth: number): Promise<BookSnapshot> {
  const named = DEPTHS.find((each) => each >= depth);
  const params = { symbol: ccxt.market(symbol).id, type: 'step0', ...(named && { depth: named }) };
  const response = await callEndpoint(ccxt, 'spotPublicGetMarketDepth', params);
  const { version, bids, asks } = parseResponse(book, response).tick;
  return { last: version, bids, asks };
}
