/**
 * The ccxt client of this product: every number is a string, and one client serves every account.
 *
 * ccxt uses numbers by default and can be configured to use strings. Even then, some of its methods round values or
 * convert them to doubles. This file replaces these methods, so that no amount or price becomes a double or changes.
 * A value that is not a multiple of the exchange's step is rejected, not rounded.
 *
 * A ccxt client takes 5 ms to create and half a megabyte to hold, and nearly all of it is the same for every account.
 * The product therefore uses one client with the credentials of the current call; nothing else in it belongs to an
 * account. Signing uses node:crypto; rate limiting uses the {@link CallBudget}.
 */
import { createHmac } from 'node:crypto';
import { type CandleInterval, readDecimal } from '@trading-automation/contracts';
import errors from 'ccxt/js/src/base/errors';
import { Precise } from 'ccxt/js/src/base/Precise';
import { currentCall, currentCredentials } from './call.js';
import { failure, MalformedResponse } from './failures.js';
import { readJson } from './json.js';
import type { Transport } from './transport.js';

type Params = Readonly<Record<string, unknown>>;

type Bytes = string | Uint8Array;

/** A hash function as ccxt passes it. Only its sizes, in bytes, identify it. */
interface CcxtHash {
  readonly outputLen: number;
  readonly blockLen: number;
}

interface CcxtMarket {
  readonly id: string;
  readonly base: string;
  readonly quote: string;
  /** Whether amounts are counted in contracts. */
  readonly contract?: boolean;
  /** Base currency per contract. */
  readonly contractSize?: string;
  readonly precision: { readonly amount?: string; readonly price?: string };
  readonly limits?: {
    readonly amount?: { readonly max?: string };
    readonly leverage?: { readonly max?: string };
  };
}

/** The members of ccxt that the product uses. Results are `unknown`, because they are validated before use. */
export interface CcxtClient {
  readonly has: Readonly<Record<string, unknown>>;
  readonly options: Record<string, unknown>;
  readonly markets: Readonly<Record<string, unknown>> | undefined;
  /** The markets by the exchange's names; names may repeat between market types. */
  readonly markets_by_id: Readonly<Record<string, readonly { readonly symbol: string }[]>> | undefined;
  readonly urls: {
    readonly api: {
      readonly private: string;
      readonly ws: { readonly spot: string; readonly 'ws-api': { readonly spot: string } };
    };
  };
  /** Switches to the exchange's test network. */
  setSandboxMode(isOn: boolean): void;
  /** Switches to the exchange's demo trading. */
  enableDemoTrading(isOn: boolean): void;
  nonce(): number;
  throttle(cost: number): Promise<void>;
  setLastRequest(request: unknown): void;
  hmac(text: Bytes, secret: Bytes, hash: CcxtHash, digest?: string): unknown;
  fetch(
    address: string,
    method: string,
    headers: Readonly<Record<string, string>> | undefined,
    body: string | undefined,
  ): Promise<unknown>;
  parseNumber(value: unknown, fallback?: string): string | undefined;
  parseJson(text: string): unknown;
  handleHttpStatusCode(status: number, ...response: readonly unknown[]): void;
  sign(...request: readonly unknown[]): unknown;
  amountToPrecision(symbol: string, amount: unknown): string;
  priceToPrecision(symbol: string, price: unknown): string;
  market(symbol: string): CcxtMarket;
  safeOrder(order: object, market?: unknown): object;
  safeCurrencyCode(exchangeCode: string): string;
  signParams(params: Params): Params;
  handleErrors(...response: readonly unknown[]): unknown;
  parseWsOrder(event: unknown): unknown;
  parseWsTrade(event: unknown): unknown;
  publicGetDepth(params: Params): Promise<unknown>;
  /** Replaces the placeholders of an address. */
  implodeHostname(address: string): string;
  setMarketsFromExchange(source: CcxtClient): unknown;
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
  fetchOpenOrders(
    symbol: string | undefined,
    since: undefined,
    limit: undefined,
    params: Params,
  ): Promise<unknown>;
  cancelOrder(id: string, symbol: string, params: Params): Promise<unknown>;
  fetchOrderTrades(
    id: string,
    symbol: string,
    since: undefined,
    limit: number,
    params: Params,
  ): Promise<unknown>;
  fetchMyTrades(symbol: string, since: undefined, limit: number, params: Params): Promise<unknown>;
  fetchBalance(params: Params): Promise<unknown>;
  fetchLastPrices(symbols: readonly string[]): Promise<unknown>;
  fetchOHLCV(
    symbol: string,
    timeframe: CandleInterval,
    since: number,
    limit: number,
    params: Params,
  ): Promise<unknown>;
  fetchTicker(symbol: string): Promise<unknown>;
  fetchTickers(symbols: readonly string[]): Promise<unknown>;
}

export interface CcxtClientOptions {
  readonly transport: Transport;
  readonly options: Params;
  /** Options that must stay constant, although ccxt would change them at run time. */
  readonly fixedOptions: Params;
  /** Resolves when a request of this cost, in ccxt's units, may be sent. */
  readonly acquireBudget: (cost: number) => Promise<void>;
}

/** The settings of a ccxt constructor. */
export function ccxtConstructorOptions({ options }: CcxtClientOptions): object {
  return {
    number: String,
    enableRateLimit: true,
    // No part of one account's response is stored where another account's call could read it.
    enableLastResponseHeaders: false,
    enableLastHttpResponse: false,
    enableLastJsonResponse: false,
    // Currencies are not used, and fetching them would send credentials.
    has: { fetchCurrencies: false },
    options: { ...options, adjustForTimeDifference: true, maxRetriesOnFailure: 0 },
  };
}

/** Replaces methods of a new ccxt client, as described at the top of this file. */
export function patchCcxtClient(client: CcxtClient, options: CcxtClientOptions): CcxtClient {
  for (const [name, value] of Object.entries(options.fixedOptions))
    defineFixed(client.options, name, () => value);
  defineFixed(client, 'apiKey', () => currentCredentials()?.apiKey);
  defineFixed(client, 'secret', () => currentCredentials()?.apiSecret);
  defineFixed(client, 'password', () => currentCredentials()?.passphrase);
  client.throttle = options.acquireBudget;
  client.setLastRequest = () => undefined;
  useTransport(options.transport, client);
  useNativeHmac(client);
  client.parseNumber = exactNumber;
  client.parseJson = parseJsonResponse;
  client.amountToPrecision = (symbol, amount) =>
    assertMultipleOfStep(amount, client.market(symbol).precision.amount);
  client.priceToPrecision = (symbol, price) =>
    assertMultipleOfStep(price, client.market(symbol).precision.price);
  const handleStatus = client.handleHttpStatusCode.bind(client);
  client.handleHttpStatusCode = (status, ...response) => {
    handleStatus(status, ...response);
    if (status < 200 || status >= 300) throw new errors.ExchangeNotAvailable(`status ${status}`);
  };
  const sign = client.sign.bind(client);
  client.sign = (...request) => {
    try {
      return sign(...request);
    } catch (error) {
      // Signing fails if the secret does not have the format that the exchange requires.
      throw error instanceof errors.BaseError ? error : new errors.AuthenticationError('unusable secret');
    }
  };
  return client;
}

function exactNumber(value: unknown, fallback?: string): string | undefined {
  if (value === undefined || value === null) return fallback;
  const parsed = readDecimal(String(value));
  return 'value' in parsed ? parsed.value : fallback;
}

/** Replaces ccxt's own transport, including its proxies and agents. Checks errors in the same order as ccxt. */
function useTransport(transport: Transport, client: CcxtClient): void {
  client.fetch = async (address, method, headers, body) => {
    const response = await transport.send({ address, method, headers, body });
    const parsed = client.parseJson(response.text);
    const exchanged = [address, method, response.headers, response.text, parsed, headers, body];
    if (client.handleErrors(response.status, '', ...exchanged) === undefined)
      client.handleHttpStatusCode(response.status, '', address, method, response.text);
    return parsed ?? response.text;
  };
}

/** Defines a property that ccxt cannot overwrite: assignments are ignored. */
function defineFixed(target: object, name: string, get: () => unknown): void {
  Object.defineProperty(target, name, { get, set: () => undefined, enumerable: true });
}

/**
 * Computes HMAC-SHA-256 with node:crypto, because ccxt's JavaScript takes most of the CPU time of an order. Other
 * hashes still use ccxt's code.
 */
function useNativeHmac(client: CcxtClient): void {
  const ccxtHmac = client.hmac.bind(client);
  client.hmac = (text, secret, hash, digest = 'hex') => {
    const isSha256 = hash.outputLen === 32 && hash.blockLen === 64;
    if (!isSha256 || (digest !== 'hex' && digest !== 'base64')) return ccxtHmac(text, secret, hash, digest);
    return createHmac('sha256', secret).update(text).digest(digest);
  };
}

/** Parses a response. A 2xx response must be JSON; other responses are classified by their status. */
function parseJsonResponse(text: string): unknown {
  const parsed = readJson(text);
  if (typeof parsed === 'object' && parsed !== null) return parsed;
  const status = currentCall().response?.status ?? 0;
  if (status >= 200 && status < 300) throw new MalformedResponse('not JSON');
  return undefined;
}

/** @throws {ExchangeError} `rejected`/`rule_violated` if the value is not a multiple of the step */
function assertMultipleOfStep(value: unknown, step: string | undefined): string {
  const parsed = readDecimal(String(value));
  if (
    !('value' in parsed) ||
    (step !== undefined && !Precise.stringEq(Precise.stringMod(parsed.value, step), '0'))
  )
    throw failure(['rejected', 'rule_violated']);
  return parsed.value;
}

/**
 * Calls an endpoint of the exchange that ccxt knows by this name, such as `privateGetV5OrderRealtime`. ccxt signs the
 * request and throws the exchange's refusals.
 */
export function callEndpoint(ccxt: CcxtClient, endpoint: string, params: Params): Promise<unknown> {
  const endpoints = ccxt as unknown as Readonly<Record<string, (params: Params) => Promise<unknown>>>;
  const call = endpoints[endpoint];
  if (call === undefined) throw new Error(`ccxt has no endpoint ${endpoint}`);
  return call.call(ccxt, params);
}
