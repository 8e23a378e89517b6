/** Declares the calls of one API. */
import type { TradingType } from '@trading-automation/contracts';
import type { z } from 'zod';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly capability: Capability;
  /** The recording's name; undefined if the answer follows the documentation. */
  readonly recording?: string;
  readonly documented?: readonly string[];
}

type Answer<P extends z.ZodType> = Parameters<typeof route<P>>[0]['answer'];

interface Api {
  /** The start of every path. */
  readonly base: string;
  /** The page of the documentation. */
  readonly page: string;
  readonly tradingTypes: readonly TradingType[];
  readonly isSigned: boolean;
}

/** Returns a function that declares a call of an API. */
export const callsOf =
  ({ base, page, tradingTypes, isSigned }: Api) =>
  <P extends z.ZodType>(
    { recording, documented, path, ...call }: Call,
    params: P,
    answer: Answer<P>,
  ): Route =>
    route({
      ...call,
      path: `${base}${path}`,
      tradingTypes,
      isSigned,
      source: recording === undefined ? { page } : { recordings: [recording], documented, page },
      params,
      answer,
    });

const FUTURES = {
  base: '/fapi/',
  page: 'https://developers.binance.com/docs/derivatives/usds-margined-futures',
  tradingTypes: ['perpetual'],
} as const;
export const publicFutures = callsOf({ ...FUTURES, isSigned: false });
export const signedFutures = callsOf({ ...FUTURES, isSigned: true });
