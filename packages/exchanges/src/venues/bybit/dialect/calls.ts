/** What the routes of Bybit share: parameters, pages, and the declaration of a call. */
import { z } from 'zod';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';
import { Refusal, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { idOf } from './views.js';

export const ALL = ['spot', 'margin', 'perpetual'] as const;
export const PERPETUAL = ['perpetual'] as const;
export const docs = (page: string) => `https://bybit-exchange.github.io/docs/v5/${page}`;

export const category = z.enum(['spot', 'linear']);
export const symbol = z.string();
export const integer = z.coerce.number().int();
export const page = { limit: integer.min(1).max(200).optional(), cursor: z.string().optional() };
export const range = { startTime: integer.optional(), endTime: integer.optional() };
const WEEK_MS = 7 * 86_400_000;

export function marketOf(exchange: ScriptedExchange, name: string | undefined): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === name);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

/** Returns one page of a list, newest first. */
export function pageOf<T>(
  items: readonly T[],
  { limit = 20, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  const from = Number(cursor ?? 0);
  const next = from + limit < items.length ? String(from + limit) : '';
  return { nextPageCursor: next, items: items.slice(from, from + limit) };
}

export function checkRange({
  startTime,
  endTime,
}: {
  startTime?: number | undefined;
  endTime?: number | undefined;
}): void {
  if (startTime !== undefined && endTime !== undefined && endTime - startTime > WEEK_MS)
    throw new Refusal('BAD_PARAMETER');
}

export const isWithin = (
  at: number,
  {
    startTime = 0,
    endTime = Number.POSITIVE_INFINITY,
  }: { startTime?: number | undefined; endTime?: number | undefined },
) => at >= startTime && at <= endTime;

export interface Declared<P extends z.ZodType> {
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

interface SignedCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly capability: Capability;
  readonly recording: string;
  readonly documented?: readonly string[];
  readonly tradingTypes?: readonly ('spot' | 'margin' | 'perpetual')[];
}

export const signedCall = <P extends z.ZodType>(call: SignedCall, declared: Declared<P>): Route =>
  route({
    method: call.method,
    path: `/v5/${call.path}`,
    capability: call.capability,
    tradingTypes: call.tradingTypes ?? ALL,
    isSigned: true,
    source: { recordings: [call.recording], documented: call.documented, page: docs(call.path) },
    ...declared,
  });
