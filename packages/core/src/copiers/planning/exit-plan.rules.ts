/** Plans exits. The rules are listed in plan.rules.ts, the only file that may import this one. */
import type { Decimal, DecisionCode } from '@trading-automation/contracts';
import { forgo, type Lot, pairInputs, ratioOfLot, storedLot } from './copied-lot.rules.js';
import {
  dividedBy,
  type Fraction,
  floorTo,
  fractionOf,
  greaterOf,
  isAboveZero,
  isLess,
  lesserOf,
  minus,
  plus,
  roundDown,
  roundUp,
  times,
  ZERO,
} from './fraction.rules.js';
import type { CopyInput, CopyOrder, CopyPair, ExactPlan, PlanInputs } from './plan.types.js';
import { dueOf, findMinimumViolation, marketCap, marketStepOf, minTradableAmount } from './sizing.rules.js';

export function planExit(input: CopyInput): ExactPlan {
  const { signal, copier, account } = input;
  const stored = storedLot(input);
  const skip = (code: DecisionCode, numbers: PlanInputs, lot: Lot | null): ExactPlan => {
    const inputs = { ...exitInputs(input), ...numbers };
    return { outcome: 'SKIPPED', code, targetAmount: '0', order: null, lot, inputs };
  };
  if (copier.status === 'PAUSED') {
    return skip('NOT_ACTIVE', { rule: 'status', value: copier.status, limit: 'CLOSE_ONLY' }, stored);
  }
  const held = fractionOf(copier.lot?.heldAmount ?? '0');
  const owed = lesserOf(fractionOf(copier.lot?.owedAmount ?? '0'), held);
  const requested =
    signal.kind === 'CLOSE' ? held : plus(owed, times(minus(held, owed), exitFraction(input)));
  const lot = stored === null ? null : lotAfterExit(stored, requested, exitFraction(input));
  if (lot === null || !isAboveZero(held)) {
    return skip('NOT_HELD', { rule: 'held', value: '0', limit: null }, lot);
  }
  if (account.pair === null) {
    return skip('PAIR_UNAVAILABLE', { rule: 'pair', value: signal.symbol, limit: null }, lot);
  }
  return sizeExit({ input, lot, held, requested, pair: account.pair });
}

interface Exit {
  readonly input: CopyInput;
  readonly pair: CopyPair;
  readonly lot: Lot;
  readonly held: Fraction;
  readonly requested: Fraction;
}

function sizeExit({ input, pair: listed, lot, held, requested }: Exit): ExactPlan {
  const { side } = input.signal;
  const price = fractionOf(newestPrice(input.signal, listed));
  const step = marketStepOf(listed);
  const { perpetual } = input.account;
  const needsBase = side === 'SELL' && perpetual === undefined;
  const free = needsBase ? greaterOf(fractionOf(input.account.freeBase), ZERO) : held;
  const available = lesserOf(held, free);
  const canReduceOnly =
    perpetual !== undefined && agrees(side, floorTo(available, step), perpetual.netPosition);
  // Exchanges let reduce-only orders close a position whose value has fallen below the minimum.
  const pair = canReduceOnly ? { ...listed, minNotional: '0' } : listed;
  const isFreeBelowRequested = isLess(free, requested);
  const amount = exitAmountOf({ requested: lesserOf(requested, available), available, price, pair, step });
  const violation = findMinimumViolation(amount, price, pair);
  const rounded = floorTo(requested, step);
  const isLessThanRequested = isFreeBelowRequested && isLess(fractionOf(amount), fractionOf(rounded));
  const isBalanceShort = isLessThanRequested && findMinimumViolation(rounded, price, pair) === null;
  const balance = { rule: 'free_base', value: rounded, limit: input.account.freeBase };
  const targetAmount = roundDown(requested);
  if (violation !== null) {
    const code = isBalanceShort ? 'INSUFFICIENT_BALANCE' : 'BELOW_MINIMUM';
    const missing = { missing_amount: missingAmount(amount, price, pair, step) };
    const inputs = { ...exitInputs(input), ...(isBalanceShort ? balance : { ...violation, ...missing }) };
    return { outcome: 'SKIPPED', code, targetAmount, order: null, lot, inputs };
  }
  return {
    outcome: isBalanceShort ? 'CLAMPED' : 'COPIED',
    code: isBalanceShort ? 'INSUFFICIENT_BALANCE' : null,
    targetAmount,
    order: exitOrder(input, listed, amount, price),
    lot: { ...lot, owedAmount: owedAfter(requested, amount) },
    inputs: { ...exitInputs(input), ...(isBalanceShort ? balance : {}) },
  };
}

/**
 * Returns the newest known price of the pair: the leader's fill if it is newer than the last price that the exchange
 * reported. Exchanges judge the minimum notional of market orders by their last price or by
 * an average of a few minutes. If the average differs, a rejected exit is tried again.
 */
function newestPrice({ referencePrice, signalAt }: CopyInput['signal'], pair: CopyPair): Decimal {
  if (pair.lastPrice === null) return referencePrice;
  const isFillNewer = pair.lastPriceAt != null && signalAt.getTime() > pair.lastPriceAt.getTime();
  return isFillNewer ? referencePrice : pair.lastPrice;
}

/** Returns the amount by which an exit is below the exchange's minimum at this price. */
function missingAmount(amount: Decimal, price: Fraction, pair: CopyPair, step: Decimal): Decimal {
  const least = fractionOf(minTradableAmount(price, pair, step));
  return roundDown(greaterOf(minus(least, fractionOf(amount)), ZERO));
}

interface ExitBounds {
  readonly requested: Fraction;
  readonly available: Fraction;
  readonly price: Fraction;
  readonly pair: CopyPair;
  readonly step: Decimal;
}

/** Returns the amount of the next exit order. It includes a remainder that would be too small to sell later. */
function exitAmountOf({ requested, available, price, pair, step }: ExitBounds): Decimal {
  const isRemainderTradable = (amount: Decimal) => {
    const remainder = floorTo(minus(available, fractionOf(amount)), step);
    return findMinimumViolation(remainder, price, pair) === null;
  };
  const requestedAmount = floorTo(requested, step);
  const amount = isRemainderTradable(requestedAmount) ? requestedAmount : floorTo(available, step);
  const cap = marketCap(price, pair);
  if (cap === null || !isLess(cap, fractionOf(amount))) return amount;
  const maxAmount = floorTo(cap, step);
  if (isRemainderTradable(maxAmount)) return maxAmount;
  const minRemainder = fractionOf(minTradableAmount(price, pair, step));
  return floorTo(greaterOf(minus(available, minRemainder), ZERO), step);
}

/** An exit on a perpetual reserves nothing, and is reduce-only where the net position agrees. */
function exitOrder(
  { signal: { side }, account: { perpetual } }: CopyInput,
  { tradingType }: CopyPair,
  amount: Decimal,
  price: Fraction,
): CopyOrder {
  const order = { type: 'MARKET', side, timeInForce: 'GTC', price: null, amount } as const;
  if (perpetual !== undefined)
    return { ...order, reduceOnly: agrees(side, amount, perpetual.netPosition), reserved: '0' };
  const reserved = side === 'SELL' ? amount : roundUp(times(fractionOf(amount), price));
  return { ...order, reduceOnly: tradingType !== 'margin', reserved };
}

/**
 * Whether an order reduces the net position only. If lots of other owners outweigh the copier's lot, its exit increases the
 * net position, which reduce-only forbids.
 */
function agrees(side: CopyOrder['side'], amount: Decimal, netPosition: Decimal): boolean {
  const net = fractionOf(netPosition);
  const opposite = side === 'BUY' ? minus(ZERO, net) : net;
  return isAboveZero(opposite) && !isLess(opposite, fractionOf(amount));
}

/**
 * Rounded up: two exits whose exact shares add up to whole steps must request these steps. If what the first one owes were
 * rounded down, the second one would request slightly less, and sell a step less.
 */
const owedAfter = (requested: Fraction, amount: Decimal): Decimal =>
  roundUp(greaterOf(minus(requested, fractionOf(amount)), ZERO));

/** Returns the share of the leader's lot that the leader's exit closed. */
function exitFraction({ signal }: CopyInput): Fraction {
  const [exit, before] = [fractionOf(signal.exitAmount), fractionOf(signal.lotAmountBefore)];
  const one = { numerator: 1n, denominator: 1n };
  if (signal.kind === 'CLOSE') return one;
  return isAboveZero(before) ? lesserOf(dividedBy(exit, before), one) : ZERO;
}

/**
 * Reduces the amount that the lot carries to its next entry, by the share of the exit. A closed lot carries nothing.
 * The requested amount is owed until `sizeExit` deducts what its order sells.
 */
function lotAfterExit(lot: Lot, requested: Fraction, share: Fraction): Lot {
  const owedAmount = roundUp(requested);
  if (lot.ratio === null) return { ...lot, owedAmount };
  const carried = dueOf(ratioOfLot(lot.ratio), fractionOf(lot.seenAmount), lot);
  return { ...forgo(lot, times(carried, share)), owedAmount };
}

const exitInputs = (input: CopyInput): PlanInputs => ({
  reference_price: input.signal.referencePrice,
  exit_amount: input.signal.exitAmount,
  lot_amount_before: input.signal.lotAmountBefore,
  held: input.copier.lot?.heldAmount ?? '0',
  ...pairInputs(input),
});
