import type { z } from 'zod';
import type { Route, Source } from '../../../../conformance/scripted/dialect.js';
import type { ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { idOf } from './futures-views.js';
import { call, docs, marketOf } from './params.js';

/** A call of the futures API. */
interface FuturesCall {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly capability: Route['capability'];
  readonly isSigned?: boolean;
  readonly recording?: string;
  readonly documented?: readonly string[];
  readonly page: string;
}

export const futuresCall = <P extends z.ZodType>(
  { method = 'GET', recording, documented, page, ...rest }: FuturesCall,
  declared: Parameters<typeof call<P>>[1],
): Route => {
  const address = docs(`futures-trading/${page}`);
  const source: Source =
    recording === undefined ? { page: address } : { recordings: [recording], documented, page: address };
  return call({ ...rest, method, tradingTypes: ['perpetual'], source }, declared);
};

export const market = (exchange: ScriptedExchange, name: string | undefined): ScriptedMarket =>
  marketOf(exchange, idOf, name);
