/** The parts of the tracking difference, with their words. */

import type { Copier } from '@trading-automation/sdk';
import { Exact, largestOf } from '../../format/decimals';

type Parts = NonNullable<Copier<'string'>['stats']['tracking']>;

export interface TrackingPart {
  readonly name: string;
  readonly meaning: string;
  /** Whole basis points; negative if it cost the copier something. */
  readonly bps: string;
  /** Length of the bar relative to the longest one, from 0 to 1. */
  readonly share: number;
}

const WORDS = [
  ['skips_bps', 'Skips and reductions', 'Entries that were skipped, failed, or were reduced by a limit'],
  ['rounding_bps', 'Rounding', 'Amount steps and minimums of the exchange'],
  ['latency_bps', 'Latency', 'The market moved before the order was planned'],
  ['slippage_bps', 'Slippage', 'The order was filled at another price than the market had'],
  ['fees_bps', 'Fees', "Fees beyond the strategy's fee rate"],
] as const;

export function trackingParts(parts: Parts): TrackingPart[] {
  const longest = largestOf(1, ...WORDS.map(([name]) => new Exact(parts[name]).abs()));
  return WORDS.map(([name, label, meaning]) => ({
    name: label,
    meaning,
    bps: parts[name],
    share: new Exact(parts[name]).abs().div(longest).toNumber(),
  }));
}
