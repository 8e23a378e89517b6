import { formatUnits } from '../engine/decimal.js';
import type { FeeRates } from '../engine/settlement.js';

/** Returns the fees as fractions of the amount received. */
export function commissionOf({ makerPpm, takerPpm }: FeeRates) {
  const rate = (ppm: number) => formatUnits(BigInt(ppm) * 100n);
  return { maker: rate(makerPpm), taker: rate(takerPpm), buyer: rate(0), seller: rate(0) };
}
