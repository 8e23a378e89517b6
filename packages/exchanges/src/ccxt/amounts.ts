/** Exchanges count some markets in contracts; the port counts every amount in base currency. */
import type { Decimal } from '@trading-automation/contracts';
import { Precise } from 'ccxt/js/src/base/Precise';
import type { CcxtClient } from './ccxt-client.js';

/** Returns the base currency of `contracts` contracts. */
export function toBaseAmount(ccxt: CcxtClient, symbol: string, contracts: Decimal): Decimal {
  const size = contractSizeOf(ccxt, symbol);
  return multiply(contracts, size);
}

/**
 * Returns the number of contracts of an amount in base currency. An amount that is no multiple of the contract size
 * gives a fraction, which the check against the amount step rejects.
 */
export function toContracts(ccxt: CcxtClient, symbol: string, amount: Decimal): Decimal {
  const size = contractSizeOf(ccxt, symbol);
  return size === '1' ? amount : divide(amount, size);
}

/** Returns 1 for a market that is not counted in contracts. */
function contractSizeOf(ccxt: CcxtClient, symbol: string): Decimal {
  const { contract, contractSize } = ccxt.market(symbol);
  return contract === true ? (contractSize ?? '1') : '1';
}

/** Multiplies without rounding. */
export function multiply(amount: Decimal, factor: Decimal): Decimal {
  return factor === '1' ? amount : exact(Precise.stringMul(amount, factor));
}

/** Adds without rounding. */
export function add(amount: Decimal, added: Decimal): Decimal {
  return exact(Precise.stringAdd(amount, added));
}

/** Subtracts without rounding. */
export function subtract(amount: Decimal, subtracted: Decimal): Decimal {
  return exact(Precise.stringSub(amount, subtracted));
}

export function smaller(a: Decimal, b: Decimal): Decimal {
  return exact(Precise.stringMin(a, b));
}

export function larger(a: Decimal, b: Decimal): Decimal {
  return exact(Precise.stringMax(a, b));
}

/** Divides to at most 18 digits after the point. */
export function divide(amount: Decimal, divisor: Decimal): Decimal {
  return exact(Precise.stringDiv(amount, divisor));
}

function exact(result: string | undefined): Decimal {
  if (result === undefined) throw new Error('an amount is missing');
  return result;
}
