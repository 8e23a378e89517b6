import { smaller } from '../decimal.js';
import type { State } from '../state.js';
import { ASSETS, baseUnits, findMarket, lotsFor, quoteUnits } from '../symbols.js';

/** The asset in which margin accounts are valued. */
const VALUATION_ASSET = 'USDT';
/** An account may own, with what it borrowed, this many times what it owns without. */
const MAX_LEVERAGE = 3n;
/** The interest of one hour, in units of 10^-8 of the principal. */
export const HOURLY_RATE = 1_000n;
const RATE_UNIT = 10n ** 8n;

/** Returns the id in the ledger of the margin account of an account. Spot and margin balances are separate. */
export function marginIdOf(accountId: string): string {
  return `${accountId}:margin`;
}

/** Returns the value of an amount in units of 10^-8 USDT at the last price; undefined without a price. */
export function usdtValue(state: State, asset: string, amount: bigint): bigint | undefined {
  if (asset === VALUATION_ASSET) return amount;
  const market = findMarket(`${asset}/${VALUATION_ASSET}`);
  const ticks = market === undefined ? undefined : state.lastTicks.get(market.id);
  if (market === undefined || ticks === undefined) return undefined;
  return (
    (amount * quoteUnits(market, ticks, 10 ** market.stepDecimals)) /
    baseUnits(market, 10 ** market.stepDecimals)
  );
}

/** What a margin account owns and owes, in units of 10^-8 USDT. Assets without a price count as nothing. */
export interface MarginValues {
  readonly assets: bigint;
  readonly debts: bigint;
}

export function marginValues(state: State, accountId: string): MarginValues {
  let [assets, debts] = [0n, 0n];
  for (const asset of ASSETS) {
    const { free, locked } = state.ledger.balance(accountId, asset);
    const { principal, interest } = state.loans.debt(accountId, asset);
    assets += usdtValue(state, asset, free + locked) ?? 0n;
    debts += usdtValue(state, asset, principal + interest) ?? 0n;
  }
  return { assets, debts };
}

/** Returns how much of an asset an account may borrow more. */
export function maxBorrowable(state: State, accountId: string, asset: string): bigint {
  const { assets, debts } = marginValues(state, accountId);
  const limit = (assets - debts) * (MAX_LEVERAGE - 1n) - debts;
  return limit <= 0n ? 0n : amountFor(state, asset, limit);
}

/** Returns how much of an asset an account may transfer away, so that it keeps twice the value of its debts. */
export function maxTransferable(state: State, accountId: string, asset: string): bigint {
  const { free } = state.ledger.balance(accountId, asset);
  const { assets, debts } = marginValues(state, accountId);
  if (debts === 0n) return free;
  const spare = assets - 2n * debts;
  const amount = spare <= 0n ? 0n : amountFor(state, asset, spare);
  return smaller(amount, free);
}

/** Converts a value in USDT to an asset, rounded down to its amount step. */
function amountFor(state: State, asset: string, value: bigint): bigint {
  if (asset === VALUATION_ASSET) return value;
  const market = findMarket(`${asset}/${VALUATION_ASSET}`);
  const ticks = market === undefined ? undefined : state.lastTicks.get(market.id);
  return market === undefined || ticks === undefined ? 0n : baseUnits(market, lotsFor(market, ticks, value));
}

/** Returns the interest of one hour, rounded up to a unit. */
export function interestOf(principal: bigint): bigint {
  return (principal * HOURLY_RATE + RATE_UNIT - 1n) / RATE_UNIT;
}

/** Returns assets ÷ debts in units of 10^-8, or 999 without debts, as the venue does. */
export function marginLevel({ assets, debts }: MarginValues): bigint {
  return debts === 0n ? 999n * RATE_UNIT : (assets * RATE_UNIT) / debts;
}
