import type { Book } from './books.js';
import { type Exact, exact, type OrderTerms, Refusal, type RefusalKind } from './model.js';

/** @throws {Refusal} if an order breaks a rule of its market */
export function checkRules(terms: OrderTerms, book: Book): void {
  const { market, amount, price, stopPrice, type } = terms;
  const best = book.ordersOf(terms.side === 'BUY' ? 'SELL' : 'BUY')[0]?.price;
  const valuedAt = price ?? stopPrice ?? best ?? exact(0);
  refuseIf(amount.lte(0) || amount.lt(market.minAmount), 'MIN_AMOUNT');
  refuseIf(!isMultiple(amount, market.step), 'AMOUNT_STEP');
  refuseIf(amount.gt(type === 'MARKET' ? market.marketMaxAmount : market.maxAmount), 'MAX_AMOUNT');
  for (const each of [price, stopPrice])
    refuseIf(each !== undefined && !isMultiple(each, market.tick), 'PRICE_TICK');
  refuseIf(
    terms.reduceOnly !== true && !valuedAt.isZero() && amount.times(valuedAt).lt(market.minNotional),
    'MIN_NOTIONAL',
  );
}

/** Whether a post-only order would take liquidity. */
export function wouldTake({ price, side, timeInForce }: OrderTerms, book: Book): boolean {
  const best = book.ordersOf(side === 'BUY' ? 'SELL' : 'BUY')[0]?.price;
  if (timeInForce !== 'POST_ONLY' || price === undefined || best === undefined) return false;
  return side === 'BUY' ? best.lte(price) : best.gte(price);
}

const isMultiple = (value: Exact, step: string): boolean => value.mod(step).isZero();

function refuseIf(isBroken: boolean, kind: RefusalKind): void {
  if (isBroken) throw new Refusal(kind);
}
