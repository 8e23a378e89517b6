import type { Exchange } from '../engine/exchange.js';
import { findMarket, type MarketSpec } from '../engine/symbols.js';

/** Returns the mid price of the spot market with the same id, in ticks of `spec`; undefined without quotes on both sides. */
export function spotMidOf(exchange: Exchange, spec: MarketSpec): number | undefined {
  const spot = findMarket(spec.id);
  if (spot === undefined) return undefined;
  const { bids, asks } = exchange.book(spot).levels();
  const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]];
  return bid === undefined || ask === undefined ? undefined : ticksIn(spec, spot, (bid + ask) / 2);
}

/** Converts a price from ticks of one market to the nearest tick of another. */
export function ticksIn(to: MarketSpec, from: MarketSpec, ticks: number): number {
  return Math.max(1, Math.round((ticks * 10 ** to.tickDecimals) / 10 ** from.tickDecimals));
}
