import { formatUnits, UNIT_DECIMALS } from '../decimal.js';
import { type MarketSpec, quoteUnits } from '../symbols.js';

/** The asset in which every contract is quoted and settled. */
export const SETTLEMENT_ASSET = 'USDT';
const UNIT = 10n ** BigInt(UNIT_DECIMALS);

/** One tier of leverage and maintenance margin. Amounts are in units of 10^-8 USDT. */
export interface Bracket {
  readonly floor: bigint;
  /** The largest notional of the tier, inclusive. */
  readonly cap: bigint;
  readonly maxLeverage: number;
  /** The maintenance margin in millionths of the notional. */
  readonly maintenancePpm: bigint;
  /** Subtracted from the maintenance margin, so that it is continuous between tiers. */
  readonly deduction: bigint;
}

/**
 * One perpetual contract of size 1, settled in USDT. Its `id` equals that of the spot market with the same pair.
 *
 * A mark price is a whole number of steps of 10^-(8 - stepDecimals) USDT. Mark price × lots is therefore a whole number
 * of units of 10^-8 USDT, and no valuation is rounded.
 */
export interface ContractSpec extends MarketSpec {
  readonly brackets: readonly Bracket[];
  /** The fee of a liquidation in millionths of its notional, paid to the insurance fund. */
  readonly liquidationFeePpm: bigint;
}

type Tier = readonly [capUsdt: number, maxLeverage: number, maintenancePpm: number];

/** Computes the floors and deductions of consecutive tiers. */
function bracketsOf(tiers: readonly Tier[]): Bracket[] {
  let floor = 0n;
  let deduction = 0n;
  let previousPpm = 0n;
  return tiers.map(([capUsdt, maxLeverage, ppm]) => {
    const maintenancePpm = BigInt(ppm);
    deduction += (floor * (maintenancePpm - previousPpm)) / 1_000_000n;
    const bracket = { floor, cap: BigInt(capUsdt) * UNIT, maxLeverage, maintenancePpm, deduction };
    floor = bracket.cap;
    previousPpm = maintenancePpm;
    return bracket;
  });
}

const MAJOR_TIERS: readonly Tier[] = [
  [300_000, 125, 4_000],
  [800_000, 100, 5_000],
  [3_000_000, 75, 6_500],
  [12_000_000, 50, 10_000],
  [70_000_000, 25, 20_000],
  [100_000_000, 20, 25_000],
  [230_000_000, 10, 50_000],
  [480_000_000, 5, 100_000],
  [800_000_000, 3, 150_000],
  [1_200_000_000, 2, 250_000],
  [1_800_000_000, 1, 500_000],
];
const MINOR_TIERS: readonly Tier[] = [
  [10_000, 100, 5_000],
  [50_000, 75, 6_500],
  [500_000, 50, 10_000],
  [5_000_000, 25, 20_000],
  [10_000_000, 10, 50_000],
  [20_000_000, 5, 100_000],
  [40_000_000, 2, 250_000],
  [60_000_000, 1, 500_000],
];

export const CONTRACTS: readonly ContractSpec[] = [
  contract(
    'BTC',
    { tick: 1, step: 3, max: 45_297_640, start: 600_000, lots: 8_000, minimum: 50 },
    MAJOR_TIERS,
  ),
  contract(
    'ETH',
    { tick: 2, step: 3, max: 30_617_700, start: 300_000, lots: 150_000, minimum: 20 },
    MAJOR_TIERS,
  ),
  contract('SOL', { tick: 2, step: 2, max: 685_700, start: 15_000, lots: 300_000, minimum: 5 }, MINOR_TIERS),
];

interface Sizes {
  readonly tick: number;
  readonly step: number;
  readonly max: number;
  readonly start: number;
  readonly lots: number;
  readonly minimum: number;
}

function contract(base: string, sizes: Sizes, tiers: readonly Tier[]): ContractSpec {
  return {
    id: `${base}${SETTLEMENT_ASSET}`,
    base,
    quote: SETTLEMENT_ASSET,
    tickDecimals: sizes.tick,
    stepDecimals: sizes.step,
    maxLots: 10_000 * 10 ** sizes.step,
    maxTicks: sizes.max,
    minNotional: BigInt(sizes.minimum) * UNIT,
    startTicks: sizes.start,
    houseLots: sizes.lots,
    brackets: bracketsOf(tiers),
    liquidationFeePpm: 12_500n,
  };
}

const byId = new Map(CONTRACTS.map((spec) => [spec.id, spec]));

/** Finds a contract by its id on the wire (`BTCUSDT`). */
export function findContract(id: string): ContractSpec | undefined {
  return byId.get(id);
}

/** @throws Error if there is no such contract */
export function contractOf(id: string): ContractSpec {
  const spec = byId.get(id);
  if (spec === undefined) throw new Error(`Contract ${id} does not exist.`);
  return spec;
}

/** Returns the unified name of a contract, which differs from that of the spot market: `BTC/USDT:USDT`. */
export function contractPair(spec: ContractSpec): string {
  return `${spec.base}/${spec.quote}:${SETTLEMENT_ASSET}`;
}

/** Converts a price in ticks to steps of a mark price. */
export function markOfTicks(spec: ContractSpec, ticks: number): number {
  return Number(quoteUnits(spec, ticks, 1));
}

/** Returns the value of `lots` at a mark price in units of 10^-8 USDT. It has the sign of `lots`. */
export function valueAt(mark: number, lots: number): bigint {
  return BigInt(mark) * BigInt(lots);
}

/** Formats a mark price with eight decimal places. */
export function markText(spec: ContractSpec, mark: number): string {
  return formatUnits(BigInt(mark) * 10n ** BigInt(spec.stepDecimals));
}

/** Returns the tier of a notional, which must not be negative. Above the last cap, the last tier applies. */
export function bracketOf(spec: ContractSpec, notional: bigint): Bracket {
  const bracket = spec.brackets.find(({ cap }) => notional <= cap) ?? spec.brackets.at(-1);
  if (bracket === undefined) throw new Error(`Contract ${spec.id} has no brackets.`);
  return bracket;
}

/** Returns the largest notional that a position may have at this leverage. */
export function maxNotionalAt(spec: ContractSpec, leverage: number): bigint {
  return spec.brackets.findLast(({ maxLeverage }) => maxLeverage >= leverage)?.cap ?? 0n;
}

export function maxLeverageOf(spec: ContractSpec): number {
  return spec.brackets[0]?.maxLeverage ?? 1;
}
