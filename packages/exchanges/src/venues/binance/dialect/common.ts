/** What the calls of spot, margin and futures have in common. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { VenueRequest } from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  type Order,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

export const idOf = ({ base, quote }: ScriptedMarket): string => `${base}${quote}`;
export const orderIdOf = ({ number }: Order): number => 8_886_000 + number;

export const symbol = z.string();
export const integer = z.coerce.number().int();
export const range = { startTime: integer.optional(), endTime: integer.optional() };
/** An id of an order that the product or another client has chosen. */
export const clientOrderId = z.string().regex(/^[\w.:/-]{1,36}$/);
export const NOTHING = z.strictObject({});

export function marketOf(exchange: ScriptedExchange, name: string | undefined): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === name);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

/** Whether a time lies in a range; a missing end is open. */
export const isWithin = (
  at: number,
  params: { readonly startTime?: number | undefined; readonly endTime?: number | undefined },
): boolean => at >= (params.startTime ?? 0) && at <= (params.endTime ?? Number.POSITIVE_INFINITY);

const SIGNED = ['timestamp', 'recvWindow', 'signature'] as const;

/** Parameters are in the query or, of POST and PUT, in the body. */
export function readParams({ query, body }: VenueRequest): Readonly<Record<string, string>> {
  const params = {
    ...Object.fromEntries(new URLSearchParams(query)),
    ...Object.fromEntries(new URLSearchParams(body)),
  };
  for (const name of SIGNED) delete params[name];
  return params;
}

const RECEIVE_WINDOW_MS = 5_000;
/** Calls that the key alone authorises. */
const KEY_ONLY = new Set(['/fapi/v1/listenKey', '/sapi/v1/userListenToken']);

/** The signature covers the query and the body: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security */
export function authenticate(
  { path, query, body, headers }: VenueRequest,
  exchange: ScriptedExchange,
): Account {
  const account = exchange.accounts.find(({ apiKey }) => apiKey === headers['x-mbx-apikey']);
  if (account === undefined) throw new Refusal('UNKNOWN_KEY');
  if (KEY_ONLY.has(path)) return account;
  const total = `${query}${body}`;
  const [signed = '', signature] = total.split('&signature=');
  if (signature !== signatureOf(signed, account)) throw new Refusal('BAD_SIGNATURE');
  checkTime(Object.fromEntries(new URLSearchParams(signed)), exchange);
  return account;
}

export const signatureOf = (signed: string, { apiSecret }: Account): string =>
  createHmac('sha256', apiSecret).update(signed).digest('hex');

export function checkTime(params: Readonly<Record<string, unknown>>, exchange: ScriptedExchange): void {
  const isLate = Math.abs(exchange.now() - Number(params.timestamp)) > RECEIVE_WINDOW_MS;
  if (isLate || Number(params.recvWindow) !== RECEIVE_WINDOW_MS) throw new Refusal('BAD_TIMESTAMP');
}

/** What two or more markets have in common, or one of them. */
export function oneOrAll<T>(
  exchange: ScriptedExchange,
  name: string | undefined,
  render: (market: ScriptedMarket) => T,
): T | readonly T[] {
  return name === undefined ? exchange.markets.map(render) : render(marketOf(exchange, name));
}
