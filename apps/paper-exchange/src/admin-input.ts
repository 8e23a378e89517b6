import { z } from 'zod';
import { parseUnits, UNIT_DECIMALS } from './engine/decimal.js';
import type { Exchange } from './engine/exchange.js';
import { CONTRACTS, type ContractSpec, contractPair } from './engine/futures/contracts.js';
import type { Account } from './engine/order.js';
import { findMarket, type MarketSpec, pairOf } from './engine/symbols.js';
import { VenueError } from './errors.js';

/** A decimal in an admin call: a number or a string. */
export const amount = z.union([z.number().nonnegative(), z.string()]).transform((value) => String(value));

/** @throws VenueError -1100 if the input does not match the schema */
export function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new VenueError(
    -1100,
    parsed.error.issues
      .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
      .join('; '),
  );
}

/** Converts a decimal to units of 10^-8. @throws VenueError -1100 */
export function unitsOf(text: string): bigint {
  const units = parseUnits(text);
  if (typeof units !== 'bigint')
    throw new VenueError(-1100, 'amount must be a plain decimal with at most 8 decimal places');
  return units;
}

/** @throws VenueError -1121 if there is no such market */
export function specOf(symbol: string): MarketSpec {
  const spec = findMarket(symbol);
  if (spec === undefined) throw new VenueError(-1121, 'Invalid symbol.');
  return spec;
}

/** Converts a price to ticks. @throws VenueError -1100 if it is not a positive multiple of the tick size */
export function ticksOf(spec: MarketSpec, price: string): number {
  return stepsOf(price, spec.tickDecimals, 'price must be a positive multiple of the tick size');
}

/** Converts an amount to amount steps. @throws VenueError -1100 if it is not a positive multiple of the step */
export function lotsOf(spec: MarketSpec, text: string): number {
  return stepsOf(text, spec.stepDecimals, 'amount must be a positive multiple of the step size');
}

function stepsOf(text: string, decimals: number, problem: string): number {
  const units = unitsOf(text);
  const step = 10n ** BigInt(UNIT_DECIMALS - decimals);
  if (units % step !== 0n || units === 0n) throw new VenueError(-1100, problem);
  return Number(units / step);
}

/** @throws VenueError -2015 (404) if no account has this key */
export function accountByKey({ state }: Exchange, apiKey: string): Account {
  const account = state.accountByKey(apiKey);
  if (account === undefined) throw new VenueError(-2015, 'No account has this api_key.', 404);
  return account;
}

/** Finds a contract by its unified name (`BTC/USDT:USDT`) or by the name of its spot market. */
export function contractNamed(symbol: string): ContractSpec | undefined {
  return CONTRACTS.find((spec) => [contractPair(spec), pairOf(spec), spec.id].includes(symbol));
}

/** Returns whether a name is that of a contract, and not that of a spot market. */
export function isContractName(symbol: string): boolean {
  return symbol.includes(':');
}

/** @throws VenueError -1121 if there is no such contract */
export function contractSpecOf(symbol: string): ContractSpec {
  const spec = contractNamed(symbol);
  if (spec === undefined) throw new VenueError(-1121, 'Invalid symbol.');
  return spec;
}
