import type { OrderSide } from '../book.js';
import { smaller } from '../decimal.js';
import { quoteUnits } from '../symbols.js';
import { bracketOf, type ContractSpec, contractOf, valueAt } from './contracts.js';
import { type FuturesAccount, type Position, positionIn, settingsOf } from './futures-account.js';
import { type FuturesOrder, openLotsOf } from './futures-order.js';

/**
 * Margin requirements of accounts. All amounts are exact, in units of 10^-8 USDT; only divisions by the leverage round
 * down.
 *
 * 1. Margin balance of the cross wallet: cross wallet + unrealised profit of the cross positions.
 * 2. Margin balance of an isolated position: its own margin + its own unrealised profit.
 * 3. A position is liquidated once a margin balance is below the maintenance margin that it covers.
 */

/** The notionals of the open orders of one contract that are not reduce-only. */
export interface OpenNotional {
  readonly bids: bigint;
  readonly asks: bigint;
}

/** The margin of one contract of an account. */
export interface ContractMargin {
  readonly symbol: string;
  readonly position: Readonly<Position>;
  readonly isIsolated: boolean;
  readonly leverage: number;
  readonly unrealized: bigint;
  /** The value of the position at the mark price; negative for a short position. */
  readonly notional: bigint;
  readonly maintenance: bigint;
  /** What the position and its open orders need together. */
  readonly initial: bigint;
  readonly positionInitial: bigint;
  readonly open: OpenNotional;
}

/** The sums over an account. */
export interface AccountMargin {
  readonly contracts: readonly ContractMargin[];
  readonly crossUnrealized: bigint;
  readonly crossMaintenance: bigint;
  /** What is free for new orders; negative if the account needs more than it has. */
  readonly available: bigint;
  /**
   * What is free for new orders with isolated margin. They take their margin from the cross wallet when they fill, so
   * the unrealised profit of cross positions cannot fund them.
   */
  readonly availableIsolated: bigint;
}

function larger(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

/** Returns the unrealised profit of a position at a mark price. */
export function unrealizedOf({ lots, cost }: Pick<Position, 'lots' | 'cost'>, mark: number): bigint {
  return valueAt(mark, lots) - cost;
}

/** Returns the maintenance margin of a notional, by its bracket. */
export function maintenanceOf(spec: ContractSpec, notional: bigint): bigint {
  const size = absolute(notional);
  if (size === 0n) return 0n;
  const { maintenancePpm, deduction } = bracketOf(spec, size);
  return (size * maintenancePpm) / 1_000_000n - deduction;
}

/** Returns the larger notional that a position can reach if all bids or all asks fill. */
export function reachableNotional(notional: bigint, { bids, asks }: OpenNotional): bigint {
  const long = absolute(notional + bids);
  const short = absolute(notional - asks);
  return larger(long, short);
}

/** Sums the open orders of one contract. Reduce-only orders need no margin. */
export function openNotionalOf(spec: ContractSpec, orders: Iterable<FuturesOrder>): OpenNotional {
  let bids = 0n;
  let asks = 0n;
  for (const order of orders) {
    if (order.symbol !== spec.id || order.isReduceOnly) continue;
    const quote = quoteUnits(spec, order.priceTicks, openLotsOf(order));
    if (order.side === 'BUY') bids += quote;
    else asks += quote;
  }
  return { bids, asks };
}

export function withOrder(open: OpenNotional, side: OrderSide, quote: bigint): OpenNotional {
  return side === 'BUY' ? { ...open, bids: open.bids + quote } : { ...open, asks: open.asks + quote };
}

export function contractMargin(
  account: FuturesAccount,
  symbol: string,
  mark: number,
  open: OpenNotional,
): ContractMargin {
  const spec = contractOf(symbol);
  const position = positionIn(account, symbol);
  const { leverage, isIsolated } = settingsOf(account, symbol);
  const notional = valueAt(mark, position.lots);
  return {
    symbol,
    position,
    isIsolated,
    leverage,
    notional,
    unrealized: unrealizedOf(position, mark),
    maintenance: maintenanceOf(spec, notional),
    initial: reachableNotional(notional, open) / BigInt(leverage),
    positionInitial: absolute(notional) / BigInt(leverage),
    open,
  };
}

export function accountMargin(
  { cross }: Pick<FuturesAccount, 'cross'>,
  contracts: readonly ContractMargin[],
): AccountMargin {
  let crossUnrealized = 0n;
  let crossMaintenance = 0n;
  let used = 0n;
  let isolatedUsed = 0n;
  for (const { isIsolated, unrealized, maintenance, initial, positionInitial } of contracts) {
    if (!isIsolated) {
      crossUnrealized += unrealized;
      crossMaintenance += maintenance;
    }
    if (isIsolated) isolatedUsed += initial - positionInitial;
    else used += initial;
  }
  const available = cross + crossUnrealized - used - isolatedUsed;
  return {
    contracts,
    crossUnrealized,
    crossMaintenance,
    available,
    availableIsolated: smaller(available, cross - isolatedUsed),
  };
}

/**
 * Returns the mark price at which a position would be liquidated while everything else stays as it is; 0 if there is no
 * such price. `equity` is the margin balance without the unrealised profit of this position, and `others` is the
 * maintenance margin of the other positions that it covers.
 */
export function liquidationMark(
  spec: ContractSpec,
  { lots, cost }: Pick<Position, 'lots' | 'cost'>,
  equity: bigint,
  others: bigint,
): number {
  if (lots === 0) return 0;
  for (const { floor, cap, maintenancePpm, deduction } of spec.brackets) {
    // Solves equity + value - cost = others + |value| × rate - deduction for the value, which has the sign of the lots.
    const rate = lots > 0 ? 1_000_000n - maintenancePpm : 1_000_000n + maintenancePpm;
    const value = ((cost - equity + others - deduction) * 1_000_000n) / rate;
    const mark = value / BigInt(lots);
    const notional = absolute(value);
    if (mark > 0n && notional >= floor && notional <= cap) return Number(mark);
  }
  return 0;
}
