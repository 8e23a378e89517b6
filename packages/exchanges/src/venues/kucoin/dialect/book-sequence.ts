import type { ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

const COUNTS = new WeakMap<ScriptedExchange, Map<string, number>>();

/**
 * Counts the price levels that changed, because a message about an order book of futures has one level. Counting begins
 * with the first call.
 */
export function countLevels(exchange: ScriptedExchange): Map<string, number> {
  const existing = COUNTS.get(exchange);
  if (existing !== undefined) return existing;
  const counts = new Map<string, number>();
  COUNTS.set(exchange, counts);
  exchange.onEvent((event) => {
    if (event.kind !== 'book') return;
    const { bids, asks } = event.change;
    const { symbol } = event.market;
    counts.set(symbol, (counts.get(symbol) ?? 0) + bids.length + asks.length);
  });
  return counts;
}

/** Returns the number of the last change of a level. */
export const sequenceOf = (exchange: ScriptedExchange, { symbol }: ScriptedMarket): number =>
  countLevels(exchange).get(symbol) ?? 0;
