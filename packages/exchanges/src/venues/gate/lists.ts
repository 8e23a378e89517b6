/** Lists of Gate's API, which are read by page number or by offset, and times in seconds. */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { allPages } from '../../ccxt/pages.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';

const list = z.array(z.unknown());

/** How a list is paged: from page 1 on, or by the number of records before the page. */
type Paging = 'PAGE' | 'OFFSET';

interface ListRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly limit: number;
  readonly paging: Paging;
}

/** Returns the records of all pages of a list. */
export function fetchList(
  ccxt: CcxtClient,
  endpoint: string,
  { params, limit, paging }: ListRequest,
): Promise<readonly unknown[]> {
  return allPages(async (cursor) => {
    const number = Number(cursor ?? 0);
    const position = paging === 'PAGE' ? { page: number + 1 } : { offset: number * limit };
    const items = parseResponse(list, await callEndpoint(ccxt, endpoint, { ...params, limit, ...position }));
    return { items, next: items.length < limit ? undefined : String(number + 1) };
  });
}

/** Returns a range of whole seconds that contains a range. Neighbouring ranges overlap. */
export function secondsBetween(from: Date, to: Date): { readonly from: number; readonly to: number } {
  return { from: Math.floor(from.getTime() / 1_000), to: Math.ceil(to.getTime() / 1_000) };
}

/** An amount that the exchange writes as a string or as a JSON number. */
export const amount = z.union([z.string(), z.number().transform(String)]).pipe(exactDecimal);
/** An amount whose zero means "none". */
export const nonZeroAmount = amount.optional().transform((value) => (value === '0' ? undefined : value));
/** Milliseconds, with a fraction in some records. */
export const milliseconds = z.coerce.number().transform((ms) => new Date(Math.floor(ms)));
/** Seconds, with milliseconds as their fraction. */
export const seconds = z.coerce.number().transform((value) => new Date(Math.round(value * 1_000)));
/** An id that the exchange writes as a string or as a JSON number. */
export const identifier = z.union([z.string().min(1), z.number().transform(String)]);

export const absolute = (value: string): string => value.replace(/^-/, '');
