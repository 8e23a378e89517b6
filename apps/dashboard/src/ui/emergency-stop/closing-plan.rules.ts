/** Which positions in perpetuals an emergency stop closes, and which stay open and why. The API decides in the same way. */
import { Exact, floorTo, isZero, largestOf, smallestOf } from '../../format/decimals';

export type StayReason = 'UNSUPPORTED' | 'ACCOUNT' | 'MARKET' | 'SIZE';

/** What an emergency stop has to know of a position. */
export interface PlannedPosition {
  readonly id: string;
  readonly exchange_account_id: string;
  readonly trade_pair_id?: string | undefined;
  readonly symbol: string;
  readonly side: string;
  readonly amount: string;
  readonly mark_price: string | null;
  readonly entry_price: string | null;
  readonly is_supported: boolean;
}

interface PlannedAccount {
  readonly id: string;
  readonly is_active: boolean;
}

interface PlannedPair {
  readonly id: string;
  readonly is_active: boolean;
  readonly order_types: readonly string[];
  readonly amount_step: string;
  readonly market_amount_step?: string | undefined;
  readonly min_amount: string;
  readonly max_amount?: string | undefined;
  readonly market_max_amount?: string | undefined;
  readonly max_notional?: string | undefined;
}

/** A position, or the part of it that one order leaves. */
export interface Staying {
  readonly position: PlannedPosition;
  readonly amount: string;
  readonly reason: StayReason;
}

export interface ClosingPlan {
  /** With the amounts that are closed. */
  readonly closed: readonly PlannedPosition[];
  readonly staying: readonly Staying[];
}

export function closingPlanOf(
  positions: readonly PlannedPosition[],
  accounts: readonly PlannedAccount[],
  pairs: readonly PlannedPair[],
): ClosingPlan {
  const parts = positions.map((position) => {
    const pair = pairs.find(({ id }) => id === position.trade_pair_id);
    const isAccountActive = accounts.some(
      ({ id, is_active }) => id === position.exchange_account_id && is_active,
    );
    return partsOf(position, pair, isAccountActive);
  });
  return { closed: parts.flatMap(({ closed }) => closed), staying: parts.flatMap(({ staying }) => staying) };
}

function partsOf(
  position: PlannedPosition,
  pair: PlannedPair | undefined,
  isAccountActive: boolean,
): ClosingPlan {
  const { amount } = position;
  const stays = (reason: StayReason): ClosingPlan => ({
    closed: [],
    staying: [{ position, amount, reason }],
  });
  if (!position.is_supported || position.trade_pair_id === undefined) return stays('UNSUPPORTED');
  if (!isAccountActive) return stays('ACCOUNT');
  if (pair === undefined || !pair.is_active || !pair.order_types.includes('MARKET')) return stays('MARKET');
  const closed = closableAmount(position, pair);
  if (closed === undefined) return stays('SIZE');
  const rest = new Exact(amount).minus(closed);
  return {
    closed: [{ ...position, amount: closed.toFixed() }],
    staying: isZero(rest) ? [] : [{ position, amount: rest.toFixed(), reason: 'SIZE' }],
  };
}

/** The amount of the one market order; undefined if no order of the position keeps the limits of the exchange. */
function closableAmount(position: PlannedPosition, pair: PlannedPair): Exact | undefined {
  const bounds = [pair.max_amount, pair.market_max_amount].filter((bound) => bound !== undefined);
  const step = largestOf(pair.amount_step, pair.market_amount_step ?? '0');
  const amount = floorTo(smallestOf(position.amount, ...bounds), step);
  const price = position.mark_price ?? position.entry_price;
  const exceeds =
    price !== null && pair.max_notional !== undefined && amount.times(price).gt(pair.max_notional);
  return isZero(amount) || amount.lt(pair.min_amount) || exceeds ? undefined : amount;
}
