/**
 * How a client reaches the API, from what it was told and what the environment says.
 *
 * 1. A request carries one credential, and what goes out with every request can't replace it.
 * 2. The credential is inside of a function: whoever prints a client, or writes it as JSON, does not show it.
 */
import type { DecimalForm } from './decimals.js';
import { environmentVariable } from './environment.js';
import { type Logger, type LogLevel, leveled } from './log.js';
import { type SignedParts, type Signer, signatureHeaders } from './signer.js';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What a client is told. */
export interface ClientOptions<D extends DecimalForm = 'number'> {
  /** Origin of the REST API, like `http://127.0.0.1:4000`. Default: the environment's `SVC_BASE_URL`. */
  readonly baseURL?: string | undefined;
  /** Origin of the GraphQL API. Default: the environment's `SVC_GRAPHQL_URL`, or `baseURL`. */
  readonly graphqlURL?: string | undefined;
  /**
   * An API key, `svc_live_…` or `svc_test_…`; null for none at all. Default: the environment's `SVC_API_KEY`, where there
   * is no signer.
   */
  readonly apiKey?: string | null | undefined;
  /** Signs each request with a key pair, in place of an API key. */
  readonly signer?: Signer | undefined;
  /** Milliseconds that each attempt may take. Default: 30,000. */
  readonly timeout?: number | undefined;
  /** How often a request that may pass is tried again. Default: 2. */
  readonly maxRetries?: number | undefined;
  /** How decimals of answers are read. `number` holds 15 digits; `string` loses none. Default: `number`. */
  readonly decimals?: D | undefined;
  /** In place of the runtime's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Sent with every request; they replace no credential. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /** Default: `console`. */
  readonly logger?: Logger | undefined;
  /** Default: the environment's `SVC_LOG`, or `warn`. */
  readonly logLevel?: LogLevel | undefined;
  /** Told each canonical string that is signed: for those who look for a fault of signatures. */
  readonly onSign?: ((canonicalString: string) => void) | undefined;
}

/** How a client reaches the API. */
export interface Connection {
  /** Origins, without a slash at the end. */
  readonly baseURL: string;
  readonly graphqlURL: string;
  /** The headers that tell who asks; none where there is no credential. */
  readonly authorize: (parts: SignedParts) => Promise<Readonly<Record<string, string>>>;
  /** Whether requests are signed, and so depend on the time. */
  readonly isSigning: boolean;
  readonly fetch: Fetch;
  /** Milliseconds for each attempt. */
  readonly timeout: number;
  readonly maxRetries: number;
  /** Sent with every request. */
  readonly headers: Headers;
  readonly logger: Logger;
}

/** Put in by the build; a source that was not built has none. */
declare const SDK_VERSION: string | undefined;
const VERSION = typeof SDK_VERSION === 'undefined' ? 'source' : SDK_VERSION;

const TIMEOUT_MS = 30_000;
/** The longest that a timer holds; above it, it would go off at once. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;
const MAX_RETRIES = 2;
const LOG_LEVELS: readonly string[] = ['off', 'error', 'warn', 'info', 'debug'];
const LOOPBACK = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/;

/** @throws {TypeError} @throws {RangeError} where an option is none */
export function resolveConnection<D extends DecimalForm>(options: ClientOptions<D>): Connection {
  const { signer, onSign, timeout = TIMEOUT_MS, maxRetries = MAX_RETRIES, logger = console } = options;
  if (options.apiKey && signer !== undefined)
    throw new TypeError('Give an apiKey or a signer: a request carries one credential.');
  const { apiKey: given = environmentVariable('SVC_API_KEY') } = options;
  const apiKey = signer === undefined && given !== null ? keyIn(given) : undefined;
  const baseURL = originOf('baseURL', 'SVC_BASE_URL', options.baseURL);
  const connection: Connection = {
    baseURL,
    graphqlURL: originOf('graphqlURL', 'SVC_GRAPHQL_URL', options.graphqlURL, baseURL),
    isSigning: signer !== undefined,
    authorize: async (parts) => {
      if (signer !== undefined) return signatureHeaders(signer, parts, onSign);
      return apiKey === undefined ? {} : { 'x-api-key': apiKey };
    },
    // Called as nothing's method: a runtime's fetch refuses to be another's.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeout: timeoutIn(timeout),
    maxRetries: maxRetriesIn(maxRetries),
    headers: headersOf(options),
    logger: leveled(logger, levelIn(options.logLevel ?? environmentVariable('SVC_LOG') ?? 'warn')),
  };
  if (signer !== undefined || apiKey !== undefined) warnIfUnencrypted(connection);
  return connection;
}

/** In browsers the user-agent is the browser's: one of ours would have to be asked for by a preflight. */
function headersOf<D extends DecimalForm>({ decimals, defaultHeaders = {} }: ClientOptions<D>): Headers {
  const headers = new Headers({
    accept: `application/json${decimals === 'string' ? '; decimals=string' : ''}`,
  });
  if (!('document' in globalThis || 'importScripts' in globalThis))
    headers.set('user-agent', `trading-automation-sdk/${VERSION}`);
  for (const [name, value] of Object.entries(defaultHeaders)) headers.set(name, value);
  return headers;
}

/** Milliseconds that a timer can wait. */
export function timeoutIn(given: number): number {
  if (!(given > 0)) throw new RangeError('timeout is a number of milliseconds above 0.');
  return Math.min(given, TIMEOUT_MAX_MS);
}

export function maxRetriesIn(given: number): number {
  if (!Number.isSafeInteger(given) || given < 0)
    throw new RangeError('maxRetries is a whole number from 0 up.');
  return given;
}

/** A file's last line end is no part of a key. The message of what fetch would say of it shows the key. */
function keyIn(given: string | undefined): string | undefined {
  const key = given?.trim();
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('apiKey is empty, or holds characters that no API key has.');
  return key;
}

function originOf(name: string, variable: string, given: string | undefined, fallback?: string): string {
  const text = given ?? environmentVariable(variable) ?? fallback;
  if (text === undefined || text === '')
    throw new TypeError(`${name} is missing: give it, or set ${variable}, like http://127.0.0.1:4000.`);
  const url = urlIn(text);
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.href !== `${url.origin}/` ||
    /[?#]/.test(text)
  )
    throw new TypeError(
      `${name} is an origin alone, like https://api.example.com: no path, no query, no user.`,
    );
  return url.origin;
}

/** Not URL.canParse, which browsers of a few years ago have not. */
function urlIn(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function warnIfUnencrypted({ baseURL, graphqlURL, logger }: Connection): void {
  for (const origin of new Set([baseURL, graphqlURL])) {
    const { protocol, hostname } = new URL(origin);
    if (protocol === 'http:' && !LOOPBACK.test(hostname))
      logger.warn(`${origin} is not encrypted: whoever is on the way reads the credentials. Use https.`);
  }
}

function levelIn(given: string): LogLevel {
  if (!LOG_LEVELS.includes(given)) throw new TypeError(`logLevel is one of ${LOG_LEVELS.join(', ')}.`);
  return given as LogLevel;
}
