/** Fills, as ccxt tells them, in the port's form. */
import { z } from 'zod';
import type { VenueFill } from '../port.js';
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

/** @throws {MalformedResponse} where it can't be read */
export function readFill(answer: unknown): VenueFill {
  return toFill(parseResponse(ccxtFill, answer));
}

/** @throws {MalformedResponse} where one of them isn't a fill of this symbol and, where one is given, this order */
export function readFills(answer: unknown, symbol: string, exchangeOrderId?: string): readonly VenueFill[] {
  return parseResponse(z.array(ccxtFill), answer).map((answered) => {
    const fill = toFill(answered);
    if (fill.symbol !== symbol || fill.exchangeOrderId !== (exchangeOrderId ?? fill.exchangeOrderId))
      throw new MalformedResponse('a fill of another order');
    return fill;
  });
}

function toFill(fill: z.output<typeof ccxtFill>): VenueFill {
  return {
    exchangeFillId: fill.id,
    exchangeOrderId: fill.order,
    symbol: fill.symbol,
    side: fill.side === 'buy' ? 'BUY' : 'SELL',
    price: fill.price,
    amount: fill.amount,
    fee: { amount: fill.fee.cost, currency: fill.fee.currency },
    liquidity: fill.takerOrMaker === 'maker' ? 'MAKER' : 'TAKER',
    executedAt: new Date(fill.timestamp),
  };
}
