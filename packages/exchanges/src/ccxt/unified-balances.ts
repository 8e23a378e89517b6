import { z } from 'zod';
import type { AssetBalance, BalanceReport } from '../port.js';
import type { CcxtClient } from './ccxt-client.js';
import { MalformedResponse } from './failures.js';
import { exactDecimal, parseResponse } from './parse-response.js';

const amounts = z.record(z.string(), exactDecimal.optional());
const balances = z.object({ info: z.unknown(), free: amounts, used: amounts });

/** How an exchange reports balances. */
interface BalanceRules {
  /**
   * Returns whether a response contains balances. ccxt would parse a response without balances as an empty account.
   */
  isBalanceResponse(info: unknown): boolean;
  /**
   * Returns the instant of the balances in a response: they include every change before it and none after it. Undefined
   * if the exchange does not report one.
   */
  datedAt(info: unknown): Date | undefined;
}

/**
 * Returns the balances of an account. If the exchange does not date them, they lie between the request and the
 * response, by its clock.
 *
 * @throws {MalformedResponse} if the response contains no balances
 */
export async function fetchUnifiedBalances(
  ccxt: CcxtClient,
  rules: BalanceRules,
  params: Readonly<Record<string, unknown>> = {},
): Promise<BalanceReport> {
  const requestedAt = venueTime(ccxt);
  const { info, free, used } = parseResponse(balances, await ccxt.fetchBalance(params));
  if (!rules.isBalanceResponse(info)) throw new MalformedResponse('the response has no balances');
  const nonZero: Record<string, AssetBalance> = {};
  for (const [asset, amount] of Object.entries(free)) {
    const locked = used[asset];
    if (amount === undefined || locked === undefined)
      throw new MalformedResponse('a balance lacks its free or locked amount');
    if (amount !== '0' || locked !== '0') nonZero[asset] = { free: amount, locked };
  }
  const datedAt = rules.datedAt(info);
  return { balances: nonZero, at: datedAt ?? requestedAt, until: datedAt ?? venueTime(ccxt) };
}

/** Returns the exchange's time, by the clock offset that was measured when the markets were loaded. */
export function venueTime({ options }: CcxtClient): Date {
  const { timeDifference } = options;
  return new Date(Date.now() - (typeof timeDifference === 'number' ? timeDifference : 0));
}
