import { formatUnits } from '../../engine/decimal.js';
import type { ContractSpec } from '../../engine/futures/contracts.js';
import { baseUnits } from '../../engine/symbols.js';

/** The venue's averages have five decimal places. */
const AVERAGE_DECIMALS = 5;

/** Formats a price with the decimal places of its tick. */
export function priceText(spec: ContractSpec, ticks: number): string {
  return formatUnits(BigInt(ticks), spec.tickDecimals);
}

/** Formats an amount with the decimal places of its step. */
export function lotsText(spec: ContractSpec, lots: number): string {
  return formatUnits(BigInt(lots), spec.stepDecimals);
}

/** Formats an amount of USDT with eight decimal places. */
export function usdtText(amount: bigint): string {
  return formatUnits(amount);
}

/** Formats the average price of `lots` that cost `quote`; zero without lots. The last digit is rounded. */
export function averageText(
  spec: ContractSpec,
  quote: bigint,
  lots: number,
  decimals = AVERAGE_DECIMALS,
): string {
  if (lots === 0) return formatUnits(0n, decimals);
  const scaled = quote * 10n ** BigInt(decimals);
  const divisor = baseUnits(spec, lots);
  const isNegative = scaled < 0n !== divisor < 0n;
  const half = (divisor < 0n ? -divisor : divisor) / 2n;
  const size = ((scaled < 0n ? -scaled : scaled) + half) / (divisor < 0n ? -divisor : divisor);
  return formatUnits(isNegative ? -size : size, decimals);
}

/** Formats a rate in units of 10^-8. */
export function rateText(rate: number): string {
  return formatUnits(BigInt(rate));
}
