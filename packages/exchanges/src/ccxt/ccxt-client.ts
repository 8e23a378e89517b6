/**
 * ccxt as this product runs it: every number is text, and one client speaks for every account.
 *
 * ccxt declares numbers, and works with text as well when told so. It then still has places where it rounds, reads
 * JSON through doubles or falls back on one. Those are replaced here, so that no amount or price ever passes a double
 * and none is changed on its way: what doesn't fit an exchange's grid is refused, not rounded.
 *
 * A client of ccxt takes 5 ms to make and half a megabyte to keep, nearly all of it the same for every account. So
 * there is one, whose credentials are those of the call under way; nothing else in it belongs to an account. Signing
 * goes through node:crypto, its turn in the rate limit through the {@link CallBudget}.
 */
import { createHmac } from 'node:crypto';
import { readDecimal } from '@trading-automation/contracts';
import { errors, Precise } from 'ccxt';
import { currentCall, currentCredentials } from './call.js';
import { failure, MalformedResponse } from './failures.js';
import { readJson } from './json.js';
import type { Transport } from './transport.js';

type Params = Readonly<Record<string, unknown>>;

type Bytes = string | Uint8Array;

/** A hash function as ccxt hands it about; its name can only be told from what it makes. */
interface CcxtHash {
  readonly outputLen: number;
  readonly blockLen: number;
}

interface CcxtMarket {
  readonly id: string;
  readonly base: string;
  readonly quote: string;
  readonly precision: { readonly amount?: string; readonly price?: string };
}

/** The part of ccxt that is used. What comes back is checked before anything relies on it, hence `unknown`. */
export interface CcxtClient {
  readonly has: Readonly<Record<string, unknown>>;
  readonly options: Record<string, unknown>;
  readonly markets: Readonly<Record<string, unknown>> | undefined;
  readonly urls: {
    readonly api: {
      readonly private: string;
      readonly ws: { readonly spot: string; readonly 'ws-api': { readonly spot: string } };
    };
  };
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
  handleHttpStatusCode(status: number, ...answer: readonly unknown[]): void;
  sign(...request: readonly unknown[]): unknown;
  amountToPrecision(symbol: string, amount: unknown): string;
  priceToPrecision(symbol: string, price: unknown): string;
  market(symbol: string): CcxtMarket;
  safeOrder(order: object, market?: unknown): object;
  safeCurrencyCode(exchangeCode: string): string;
  signParams(params: Params): Params;
  handleErrors(...answer: readonly unknown[]): unknown;
  parseWsOrder(event: unknown): unknown;
  parseWsTrade(event: unknown): unknown;
  publicGetDepth(params: Params): Promise<unknown>;
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
  fetchBalance(): Promise<unknown>;
  fetchLastPrices(symbols: readonly string[]): Promise<unknown>;
  fetchTickers(symbols: readonly string[]): Promise<unknown>;
}

export interface CcxtClientOptions {
  readonly transport: Transport;
  readonly options: Params;
  /** Options that ccxt changes as it runs, and must not. */
  readonly fixedOptions: Params;
  /** Kept when a request of this cost, in ccxt's units, may be sent. */
  readonly acquireBudget: (cost: number) => Promise<void>;
}

/** The settings that a constructor of ccxt takes. */
export function ccxtConstructorOptions({ options }: CcxtClientOptions): object {
  return {
    number: String,
    enableRateLimit: true,
    // Nothing of one account's answer stays where another's call may find it.
    enableLastResponseHeaders: false,
    enableLastHttpResponse: false,
    enableLastJsonResponse: false,
    // Currencies are not used, and asking for them would send credentials.
    has: { fetchCurrencies: false },
    options: { ...options, adjustForTimeDifference: true, maxRetriesOnFailure: 0 },
  };
}

/** Replaces in a new client of ccxt what this file's head tells of. */
export function patchCcxtClient(client: CcxtClient, options: CcxtClientOptions): CcxtClient {
  for (const [name, value] of Object.entries(options.fixedOptions)) fix(client.options, name, () => value);
  fix(client, 'apiKey', () => currentCredentials()?.apiKey);
  fix(client, 'secret', () => currentCredentials()?.apiSecret);
  fix(client, 'password', () => currentCredentials()?.passphrase);
  client.throttle = options.acquireBudget;
  client.setLastRequest = () => undefined;
  useTransport(options.transport, client);
  useNativeHmac(client);
  client.parseNumber = exactNumber;
  client.parseJson = readAnswer;
  client.amountToPrecision = (symbol, amount) =>
    assertMultipleOfStep(amount, client.market(symbol).precision.amount);
  client.priceToPrecision = (symbol, price) =>
    assertMultipleOfStep(price, client.market(symbol).precision.price);
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

/** In place of ccxt's own way out, with its proxies and agents, which looks at an answer in the same order. */
function useTransport(transport: Transport, client: CcxtClient): void {
  client.fetch = async (address, method, headers, body) => {
    const answer = await transport.send({ address, method, headers, body });
    const read = client.parseJson(answer.text);
    const told = [address, method, answer.headers, answer.text, read, headers, body];
    if (client.handleErrors(answer.status, '', ...told) === undefined)
      client.handleHttpStatusCode(answer.status, '', address, method, answer.text);
    return read ?? answer.text;
  };
}

/** What ccxt sets here itself is lost on purpose. */
function fix(target: object, name: string, get: () => unknown): void {
  Object.defineProperty(target, name, { get, set: () => undefined, enumerable: true });
}

/** ccxt's own, in JavaScript, is the greater part of what an order costs; it stays for hashes that aren't known here. */
function useNativeHmac(client: CcxtClient): void {
  const slow = client.hmac.bind(client);
  client.hmac = (text, secret, hash, digest = 'hex') => {
    const isSha256 = hash.outputLen === 32 && hash.blockLen === 64;
    if (!isSha256 || (digest !== 'hex' && digest !== 'base64')) return slow(text, secret, hash, digest);
    return createHmac('sha256', secret).update(text).digest(digest);
  };
}

/** Where an answer says that all went well, it has to be JSON; otherwise its status decides. */
function readAnswer(text: string): unknown {
  const read = readJson(text);
  if (typeof read === 'object' && read !== null) return read;
  const status = currentCall().response?.status ?? 0;
  if (status >= 200 && status < 300) throw new MalformedResponse('not JSON');
  return undefined;
}

/** @throws {ExchangeError} `rejected`/`rule_violated` where the value is not a multiple of the step */
function assertMultipleOfStep(value: unknown, step: string | undefined): string {
  const read = readDecimal(String(value));
  if (
    !('value' in read) ||
    (step !== undefined && !Precise.stringEq(Precise.stringMod(read.value, step), '0'))
  )
    throw failure(['rejected', 'rule_violated']);
  return read.value;
}
