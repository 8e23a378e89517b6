/** What the routes of Gate's API have in common: https://www.gate.com/docs/developers/apiv4/en/ */
import { z } from 'zod';
import { Refusal, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { idOf } from './spot-views.js';

export const docs = (anchor: string): string => `https://www.gate.com/docs/developers/apiv4/en/#${anchor}`;

export const integer = z.coerce.number().int();
/** Seconds; both ends are included. */
export const range = { from: integer.optional(), to: integer.optional() };
export const byPage = { page: integer.min(1).optional(), limit: integer.min(1).max(1_000).optional() };
export const byOffset = { offset: integer.min(0).optional(), limit: integer.min(1).max(1_000).optional() };
/** The field that holds the client order id. */
export const orderText = z.string().regex(/^t-[\w.-]{1,28}$/);

const RANGE_MAX_S = 30 * 86_400;

export function marketOf(exchange: ScriptedExchange, name: string | undefined): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === name);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Whether an instant, in milliseconds, lies in a range. */
export function isWithin(atMs: number, { from = 0, to = Number.POSITIVE_INFINITY }: Range): boolean {
  if (to !== Number.POSITIVE_INFINITY && to - from > RANGE_MAX_S) throw new Refusal('BAD_PARAMETER');
  return atMs / 1_000 >= from && atMs / 1_000 <= to;
}

interface Page {
  readonly page?: number | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Returns one page of a list, newest first. */
export function pageOf<T>(items: readonly T[], { page = 1, offset, limit = 100 }: Page): readonly T[] {
  const start = offset ?? (page - 1) * limit;
  return [...items].reverse().slice(start, start + limit);
}

export const INTERVALS: Readonly<Record<string, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
};
