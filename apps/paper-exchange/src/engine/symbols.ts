import { formatUnits, UNIT_DECIMALS } from './decimal.js';

/**
 * One market. Prices are counted in ticks of 10^-tickDecimals quote and amounts in lots of 10^-stepDecimals base; both
 * are safe integers. tickDecimals + stepDecimals ≤ 8, so every price × amount is a whole number of units.
 */
export interface SymbolSpec {
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
  /** The house's depth on each side within 10 bps of the mid after a refill, in lots. */
  readonly houseLots: number;
}

const usdt = (base: string, stepDecimals: number, startTicks: number, houseLots: number): SymbolSpec => ({
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

export const SYMBOLS: readonly SymbolSpec[] = [
  usdt('BTC', 5, 6_000_000, 800_000),
  usdt('ETH', 4, 300_000, 1_500_000),
  usdt('SOL', 3, 15_000, 3_000_000),
];

export const ASSETS: readonly string[] = [...new Set(SYMBOLS.flatMap((spec) => [spec.base, spec.quote]))];

const byName = new Map(SYMBOLS.flatMap((spec) => [[spec.id, spec] as const, [pairOf(spec), spec] as const]));

/** Finds a market by its id on the wire (`BTCUSDT`) or its pair (`BTC/USDT`). */
export function findSymbol(name: string): SymbolSpec | undefined {
  return byName.get(name);
}

export function pairOf(spec: SymbolSpec): string {
  return `${spec.base}/${spec.quote}`;
}

export function baseOf(spec: SymbolSpec, lots: number): bigint {
  return BigInt(lots) * 10n ** BigInt(UNIT_DECIMALS - spec.stepDecimals);
}

export function quoteOf(spec: SymbolSpec, ticks: number, lots: number): bigint {
  return BigInt(ticks) * BigInt(lots) * 10n ** BigInt(UNIT_DECIMALS - spec.tickDecimals - spec.stepDecimals);
}

/** Returns how many whole lots `quote` units buy at `ticks`. */
export function lotsFor(spec: SymbolSpec, ticks: number, quote: bigint): number {
  return Number(quote / quoteOf(spec, ticks, 1));
}

export function priceText(spec: SymbolSpec, ticks: number): string {
  return formatUnits(BigInt(ticks) * 10n ** BigInt(UNIT_DECIMALS - spec.tickDecimals));
}

export function lotsText(spec: SymbolSpec, lots: number): string {
  return formatUnits(baseOf(spec, lots));
}
