/** What Bitget's calls have in common. */
import type { TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { type Capability, type Route, route, type Source } from '../../../../conformance/scripted/dialect.js';

export const integer = z.coerce.number().int();
export const category = z.enum(['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']);
const MONTH_MS = 30 * 86_400_000;
/** A time range of at most 30 days. */
export const range = { startTime: integer.optional(), endTime: integer.optional() };
export const page = { limit: integer.min(1).max(100), cursor: z.string().optional() };

interface Range {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
}

export const isRange = ({ startTime, endTime }: Range): boolean =>
  startTime === undefined || endTime === undefined || endTime - startTime <= MONTH_MS;
export const isWithin = (at: number, { startTime = 0, endTime = Number.POSITIVE_INFINITY }: Range) =>
  at >= startTime && at <= endTime;

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly capability: Capability;
  readonly source: Source;
  readonly tradingTypes?: readonly TradingType[];
}

interface Declared<P extends z.ZodType> {
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

const declare = <P extends z.ZodType>(isSigned: boolean, call: Call, declared: Declared<P>): Route =>
  route({
    ...call,
    path: `/api/${call.path}`,
    tradingTypes: call.tradingTypes ?? ['spot', 'margin', 'perpetual'],
    isSigned,
    ...declared,
  });

export const publicCall = <P extends z.ZodType>(call: Call, declared: Declared<P>): Route =>
  declare(false, call, declared);
export const signedCall = <P extends z.ZodType>(call: Call, declared: Declared<P>): Route =>
  declare(true, call, declared);

/** The page of the documentation of the unified account. */
export const docs = (path: string) => `https://www.bitget.com/api-doc/uta/${path}`;

/** Returns one page of a list, newest first. The cursor is the id of the last record. */
export function pageOf<T>(
  items: readonly T[],
  idOfItem: (item: T) => string,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): { readonly items: readonly T[]; readonly cursor: string } {
  const from = cursor === undefined ? 0 : items.findIndex((item) => idOfItem(item) === cursor) + 1;
  const selected = items.slice(from, from + limit);
  const last = selected.at(-1);
  return { items: selected, cursor: last === undefined ? '' : idOfItem(last) };
}
