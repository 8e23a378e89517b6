import { formatUnits, UNIT_DECIMALS } from './decimal.js';

/**
 * One market. Prices are counted in ticks of 10^-tickDecimals quote, and amounts in lots of 10^-stepDecimals base. Both
 * are safe integers. In this app, a lot is the amount step of a market (Binance's LOT_SIZE), not a lot of the glossary.
 * tickDecimals + stepDecimals ≤ 8, so every price × amount is a whole number of units of 10^-8.
 */
export interface MarketSpec {
  readonly id: string;
  readonly base: string;
  readonly quote: string;
  readonly tickDecimals: number;
  readonly stepDecimals: number;
  readonly maxLots: number;
  readonly maxTicks: number;
  readonly minNotional: bigint;
  /** The start price of the random walk in a new market, in ticks. */
  readonly startTicks: number;
  /** The lots that the built-in market maker (the house) quotes on each side, within 10 bps of the mid price. */
  readonly houseLots: number;
}

const usdt = (base: string, stepDecimals: number, startTicks: number, houseLots: number): MarketSpec => ({
  id: `${base}USDT`,
  base,
  quote: 'USDT',
  tickDecimals: 2,
  stepDecimals,
  maxLots: 9_000 * 10 ** stepDecimals,
  maxTicks: 100_000_000,
  minNotional: 10n * 10n ** BigInt(UNIT_DECIMALS),
  startTicks,
  houseLots,
});

export const SYMBOLS: readonly MarketSpec[] = [
  usdt('BTC', 5, 6_000_000, 800_000),
  usdt('ETH', 4, 300_000, 1_500_000),
  usdt('SOL', 3, 15_000, 3_000_000),
];

export const ASSETS: readonly string[] = [...new Set(SYMBOLS.flatMap((spec) => [spec.base, spec.quote]))];

const byName = new Map(SYMBOLS.flatMap((spec) => [[spec.id, spec] as const, [pairOf(spec), spec] as const]));

/** Finds a market by its id on the wire (`BTCUSDT`) or its pair (`BTC/USDT`). */
export function findMarket(name: string): MarketSpec | undefined {
  return byName.get(name);
}

export function pairOf(spec: MarketSpec): string {
  return `${spec.base}/${spec.quote}`;
}

export function baseUnits(spec: MarketSpec, lots: number): bigint {
  return BigInt(lots) * 10n ** BigInt(UNIT_DECIMALS - spec.stepDecimals);
}

export function quoteUnits(spec: MarketSpec, ticks: number, lots: number): bigint {
  return BigInt(ticks) * BigInt(lots) * 10n ** BigInt(UNIT_DECIMALS - spec.tickDecimals - spec.stepDecimals);
}

/** Returns how many whole lots `budget` units of the quote asset can buy at the price `ticks`. */
export function lotsFor(spec: MarketSpec, ticks: number, budget: bigint): number {
  return Number(budget / quoteUnits(spec, ticks, 1));
}

export function priceText(spec: MarketSpec, ticks: number): string {
  return formatUnits(BigInt(ticks) * 10n ** BigInt(UNIT_DECIMALS - spec.tickDecimals));
}

export function lotsText(spec: MarketSpec, lots: number): string {
  return formatUnits(baseUnits(spec, lots));
}
