/** What the routes of KuCoin's API have in common: https://www.kucoin.com/docs-new/introduction */
import { z } from 'zod';
import { type Capability, type Route, route, type Source } from '../../../../conformance/scripted/dialect.js';
import { type Account, Refusal, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

type Type = 'spot' | 'margin' | 'perpetual';
export const docs = (page: string): string => `https://www.kucoin.com/docs-new/rest/${page}`;

export const integer = z.coerce.number().int();
export const clientOid = z.string().regex(/^[\w-]{1,40}$/);
const WEEK_MS = 7 * 86_400_000;

export function marketOf(
  exchange: ScriptedExchange,
  idOf: (market: ScriptedMarket) => string,
  name: string | undefined,
): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === name);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

interface Range {
  readonly startAt?: number | undefined;
  readonly endAt?: number | undefined;
}

/** Whether an instant lies in a range, which covers at most a week. */
export function isWithin(at: number, { startAt = 0, endAt = Number.POSITIVE_INFINITY }: Range): boolean {
  if (endAt !== Number.POSITIVE_INFINITY && endAt - startAt > WEEK_MS) throw new Refusal('BAD_PARAMETER');
  return at >= startAt && at <= endAt;
}

interface Page {
  readonly currentPage?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** Returns one page of a list, newest first. */
export function pageOf<T>(items: readonly T[], { currentPage = 1, pageSize = 50 }: Page) {
  const newest = [...items].reverse();
  const start = (currentPage - 1) * pageSize;
  return {
    currentPage,
    pageSize,
    totalNum: newest.length,
    totalPage: Math.ceil(newest.length / pageSize),
    items: newest.slice(start, start + pageSize),
  };
}

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly capability: Capability;
  readonly tradingTypes: readonly Type[];
  readonly isSigned?: boolean;
  readonly source: Source;
}

interface Declared<P extends z.ZodType> {
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

/** Declares a call; by default, it is signed. */
export const call = <P extends z.ZodType>(
  { path, isSigned = true, ...rest }: Call,
  declared: Declared<P>,
): Route => route({ ...rest, path: `/api/${path}`, isSigned, ...declared });

const TOKEN_PAGE = 'https://www.kucoin.com/docs-new/websocket-api/base-info/get-private-token-spot-margin';
/** The tokens of stream connections, by their text. */
const TOKENS = new WeakMap<ScriptedExchange, Map<string, Account | undefined>>();

const tokensOf = (exchange: ScriptedExchange): Map<string, Account | undefined> => {
  const tokens = TOKENS.get(exchange) ?? new Map<string, Account | undefined>();
  TOKENS.set(exchange, tokens);
  return tokens;
};

/** Returns the account of a token; undefined for a public one. Throws if there is no such token. */
export function accountOfToken(exchange: ScriptedExchange, token: string): Account | undefined {
  const tokens = tokensOf(exchange);
  if (!tokens.has(token)) throw new Error('no such token');
  return tokens.get(token);
}

const tokenCall = (path: string, isSigned: boolean): Route =>
  call(
    {
      method: 'POST',
      path: `v1/${path}`,
      capability: 'stream login',
      tradingTypes: ['spot', 'margin', 'perpetual'],
      isSigned,
      source: { page: TOKEN_PAGE },
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account }) => {
        const tokens = tokensOf(exchange);
        const token = `2neAiuYvAU61ZDXANAGAsiL4-${tokens.size}`;
        tokens.set(token, isSigned ? account : undefined);
        const server = { endpoint: 'wss://ws-api.kucoin.com/endpoint', encrypt: true, protocol: 'websocket' };
        return { token, instanceServers: [{ ...server, pingInterval: 18_000, pingTimeout: 10_000 }] };
      },
    },
  );

export const tokenRoutes: readonly Route[] = [
  tokenCall('bullet-private', true),
  tokenCall('bullet-public', false),
];
