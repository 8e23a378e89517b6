/** Converts ccxt's fills to the port's `VenueFill`. */
import { z } from 'zod';
import type { VenueFill } from '../port.js';
import { toBaseAmount } from './amounts.js';
import type { CcxtClient } from './ccxt-client.js';
import { MalformedResponse } from './failures.js';
import { exactDecimal, parseResponse } from './parse-response.js';

const ccxtFill = z.object({
  id: z.string().min(1),
  order: z.string().min(1),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  price: exactDecimal,
  amount: exactDecimal,
  fee: z.object({ cost: exactDecimal, currency: z.string().min(1) }),
  takerOrMaker: z.enum(['taker', 'maker']),
  timestamp: z.number().int().positive(),
});

/** @throws {MalformedResponse} if the fill cannot be parsed */
export function readFill(ccxt: CcxtClient, response: unknown): VenueFill {
  return toFill(ccxt, parseResponse(ccxtFill, response));
}

/** @throws {MalformedResponse} if a fill belongs to another symbol, or to another order than the requested one */
export function readFills(
  ccxt: CcxtClient,
  response: unknown,
  { symbol, exchangeOrderId }: { readonly symbol: string; readonly exchangeOrderId?: string },
): readonly VenueFill[] {
  return parseResponse(z.array(ccxtFill), response).map((item) => {
    const fill = toFill(ccxt, item);
    if (fill.symbol !== symbol || fill.exchangeOrderId !== (exchangeOrderId ?? fill.exchangeOrderId))
      throw new MalformedResponse('a fill of another order or symbol');
    return fill;
  });
}

function toFill(ccxt: CcxtClient, fill: z.output<typeof ccxtFill>): VenueFill {
  return {
    exchangeFillId: fill.id,
    exchangeOrderId: fill.order,
    symbol: fill.symbol,
    side: fill.side === 'buy' ? 'BUY' : 'SELL',
    price: fill.price,
    amount: toBaseAmount(ccxt, fill.symbol, fill.amount),
    fee: { amount: fill.fee.cost, currency: fill.fee.currency },
    liquidity: fill.takerOrMaker === 'maker' ? 'MAKER' : 'TAKER',
    executedAt: new Date(fill.timestamp),
  };
}

/** Returns the fills with the oldest first. */
export function sortByExecution(fills: readonly VenueFill[]): readonly VenueFill[] {
  return [...fills].sort((a, b) => a.executedAt.getTime() - b.executedAt.getTime());
}
