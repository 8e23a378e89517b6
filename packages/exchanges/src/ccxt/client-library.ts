/**
 * ccxt as this product runs it: every number is text.
 *
 * ccxt declares numbers, and works with text as well when told so. It then still has places where it rounds, reads
 * JSON through doubles or falls back on one. Those are replaced here, so that no amount or price ever passes a double
 * and none is changed on its way: what doesn't fit an exchange's grid is refused, not rounded.
 */
import { readDecimal } from '@trading-automation/contracts';
import { errors, Precise } from 'ccxt';
import { parse } from 'lossless-json';
import type { ExchangeCredentials } from '../port.js';
import { currentCall } from './call.js';
import { AnswerSenseless, failure } from './failures.js';
import type { Transport } from './transport.js';

type Params = Readonly<Record<string, unknown>>;

/** The part of ccxt that is used. What comes back is checked before anything relies on it, hence `unknown`. */
export interface ClientLibrary {
  readonly has: Readonly<Record<string, unknown>>;
  readonly options: Record<string, unknown>;
  readonly markets: Readonly<Record<string, unknown>> | undefined;
  throttler: unknown;
  userAgent: string;
  timeout: number;
  fetchImplementation: Transport['fetch'];
  parseNumber(value: unknown, fallback?: string): string | undefined;
  parseJson(text: string): unknown;
  handleHttpStatusCode(status: number, ...answer: readonly unknown[]): void;
  sign(...request: readonly unknown[]): unknown;
  amountToPrecision(symbol: string, amount: unknown): string;
  priceToPrecision(symbol: string, price: unknown): string;
  market(symbol: string): { readonly precision: { readonly amount?: string; readonly price?: string } };
  setMarketsFromExchange(source: ClientLibrary): unknown;
  loadMarkets(reload?: boolean): Promise<unknown>;
  loadTimeDifference(): Promise<unknown>;
  createOrder(
    symbol: string,
    type: 'limit' | 'market',
    side: 'buy' | 'sell',
    amount: string,
    price: string | undefined,
    params: Params,
  ): Promise<unknown>;
  fetchOrder(id: string, symbol: string, params: Params): Promise<unknown>;
  fetchOpenOrders(symbol: string, since: undefined, limit: undefined, params: Params): Promise<unknown>;
  cancelOrder(id: string, symbol: string, params: Params): Promise<unknown>;
  fetchOrderTrades(
    id: string,
    symbol: string,
    since: undefined,
    limit: number,
    params: Params,
  ): Promise<unknown>;
  fetchBalance(): Promise<unknown>;
  fetchLastPrices(symbols: readonly string[]): Promise<unknown>;
  fetchTickers(symbols: readonly string[]): Promise<unknown>;
}

export interface LibraryOptions {
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly options: Params;
  /** Options that ccxt changes as it runs, and must not. */
  readonly fixedOptions: Params;
  readonly credentials?: ExchangeCredentials | undefined;
}

/** The settings that a constructor of ccxt takes for a client with, or without, credentials. */
export function librarySettings({ options, credentials, timeoutMs }: LibraryOptions): object {
  return {
    number: String,
    timeout: timeoutMs,
    enableRateLimit: true,
    userAgent: 'trading-automation',
    // Currencies are not used, and asking for them would send credentials.
    has: { fetchCurrencies: false },
    options: { ...options, adjustForTimeDifference: true, maxRetriesOnFailure: 0 },
    ...(credentials && {
      apiKey: credentials.apiKey,
      secret: credentials.apiSecret,
      password: credentials.passphrase,
    }),
  };
}

/** Replaces in a new client of ccxt what this file's head tells of. */
export function harden(client: ClientLibrary, { transport, fixedOptions }: LibraryOptions): ClientLibrary {
  for (const [name, value] of Object.entries(fixedOptions))
    Object.defineProperty(client.options, name, { get: () => value, set: () => undefined, enumerable: true });
  client.fetchImplementation = transport.fetch;
  client.parseNumber = exactNumber;
  client.parseJson = readAnswer;
  client.amountToPrecision = (symbol, amount) => onGrid(amount, client.market(symbol).precision.amount);
  client.priceToPrecision = (symbol, price) => onGrid(price, client.market(symbol).precision.price);
  const handleStatus = client.handleHttpStatusCode.bind(client);
  client.handleHttpStatusCode = (status, ...answer) => {
    handleStatus(status, ...answer);
    if (status < 200 || status >= 300) throw new errors.ExchangeNotAvailable('a status that says no');
  };
  const sign = client.sign.bind(client);
  client.sign = (...request) => {
    try {
      return sign(...request);
    } catch (error) {
      // A secret that isn't of the form that the exchange's signature needs.
      throw error instanceof errors.BaseError ? error : new errors.AuthenticationError('unusable secret');
    }
  };
  return client;
}

function exactNumber(value: unknown, fallback?: string): string | undefined {
  if (value === undefined || value === null) return fallback;
  const read = readDecimal(String(value));
  return 'value' in read ? read.value : fallback;
}

/** Where an answer says that all went well, it has to be JSON; otherwise its status decides. */
function readAnswer(text: string): unknown {
  try {
    const read = parse(text, undefined, numberOf);
    if (typeof read === 'object' && read !== null) return read;
  } catch {
    // Not JSON: told below.
  }
  const status = currentCall().answer?.status ?? 0;
  if (status >= 200 && status < 300) throw new AnswerSenseless('not JSON');
  return undefined;
}

/** A JSON number as a number where that loses no digit, otherwise as its text, which ccxt takes just as well. */
function numberOf(text: string): number | string {
  const number = Number(text);
  return String(number) === text ? number : text;
}

/** @throws {ExchangeError} `rejected`/`rule_violated` where the value is not a multiple of the step */
function onGrid(value: unknown, step: string | undefined): string {
  const read = readDecimal(String(value));
  if (
    !('value' in read) ||
    (step !== undefined && !Precise.stringEq(Precise.stringMod(read.value, step), '0'))
  )
    throw failure(['rejected', 'rule_violated']);
  return read.value;
}
