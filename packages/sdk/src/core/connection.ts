/**
 * Resolves how a client reaches the API, from the options of the client and from environment variables.
 *
 * 1. A request carries one credential. Default headers cannot replace it.
 * 2. A closure holds the credential, so that printing or serializing a client does not reveal it.
 */
import type { DecimalForm } from './decimals.js';
import { environmentVariable } from './environment.js';
import { type Logger, type LogLevel, leveled } from './log.js';
import { type SignedParts, type Signer, signatureHeaders } from './signer.js';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of a {@link Client}. */
export interface ClientOptions<D extends DecimalForm = 'number'> {
  /** Origin of the REST API, such as `http://127.0.0.1:4000`. Default: the environment variable `SVC_BASE_URL`. */
  readonly baseURL?: string | undefined;
  /** Origin of the GraphQL API. Default: the environment variable `SVC_GRAPHQL_URL`, or `baseURL`. */
  readonly graphqlURL?: string | undefined;
  /**
   * An API key, `svc_live_…` or `svc_test_…`; null for none. Default: the environment variable `SVC_API_KEY`, unless
   * `signer` is set.
   */
  readonly apiKey?: string | null | undefined;
  /** Signs each request with a key pair instead of an API key. */
  readonly signer?: Signer | undefined;
  /** Time limit of each attempt in milliseconds. Default: 40,000, which is longer than the slowest response. */
  readonly timeout?: number | undefined;
  /** Maximum number of retries after a transient failure. Default: 2. */
  readonly maxRetries?: number | undefined;
  /**
   * The form of decimals in responses. `number` is exact to 15 digits; `string` is always exact.
   * Default: `number`.
   */
  readonly decimals?: D | undefined;
  /** The `fetch` function to use. Default: that of the runtime. */
  readonly fetch?: Fetch | undefined;
  /** Headers sent with every request. They cannot replace the credential. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /** Receives the log messages of the client. Default: `console`. */
  readonly logger?: Logger | undefined;
  /** The least severe level to log. Default: the environment variable `SVC_LOG`, or `warn`. */
  readonly logLevel?: LogLevel | undefined;
  /** Called with each canonical string before it is signed. For debugging signatures. */
  readonly onSign?: ((canonicalString: string) => void) | undefined;
}

/** How a client reaches the API. */
export interface Connection {
  /** Origins without a trailing slash. */
  readonly baseURL: string;
  readonly graphqlURL: string;
  /** False if `graphqlURL` is `baseURL`, because neither the option nor the environment variable is set. */
  readonly isGraphqlURLSet: boolean;
  /** Returns the headers that authenticate a request; empty without a credential. */
  readonly authorize: (parts: SignedParts) => Promise<Readonly<Record<string, string>>>;
  /** Whether requests are signed and therefore depend on the clock. */
  readonly isSigning: boolean;
  readonly fetch: Fetch;
  /** Time limit of each attempt in milliseconds. */
  readonly timeout: number;
  readonly maxRetries: number;
  /** Sent with every request. */
  readonly headers: Headers;
  readonly logger: Logger;
}

/** Defined by the build; undefined if the source runs without a build. */
declare const SDK_VERSION: string | undefined;
const VERSION = typeof SDK_VERSION === 'undefined' ? 'source' : SDK_VERSION;

const TIMEOUT_MS = 40_000;
/** The longest delay of a timer; a longer one would fire immediately. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;
const MAX_RETRIES = 2;
const LOG_LEVELS: readonly string[] = ['off', 'error', 'warn', 'info', 'debug'];
const LOOPBACK = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Validates the options of a client and adds the defaults.
 *
 * @throws {TypeError}
 * @throws {RangeError} if an option is invalid
 */
export function resolveConnection<D extends DecimalForm>(options: ClientOptions<D>): Connection {
  const { signer, onSign, timeout = TIMEOUT_MS, maxRetries = MAX_RETRIES, logger = console } = options;
  if (options.apiKey && signer !== undefined)
    throw new TypeError('Set either apiKey or signer, not both: a request carries one credential.');
  const { apiKey: configured = environmentVariable('SVC_API_KEY') } = options;
  const apiKey = signer === undefined && configured !== null ? validApiKey(configured) : undefined;
  const baseURL = originOf('baseURL', 'SVC_BASE_URL', options.baseURL);
  const connection: Connection = {
    baseURL,
    graphqlURL: originOf('graphqlURL', 'SVC_GRAPHQL_URL', options.graphqlURL, baseURL),
    isGraphqlURLSet: (options.graphqlURL ?? environmentVariable('SVC_GRAPHQL_URL')) !== undefined,
    isSigning: signer !== undefined,
    authorize: async (parts) => {
      if (signer !== undefined) return signatureHeaders(signer, parts, onSign);
      return apiKey === undefined ? {} : { 'x-api-key': apiKey };
    },
    // Called on globalThis: a browser's fetch throws when it is called on another object.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeout: validTimeout(timeout),
    maxRetries: validMaxRetries(maxRetries),
    headers: headersOf(options),
    logger: leveled(logger, validLogLevel(options.logLevel ?? environmentVariable('SVC_LOG') ?? 'warn')),
  };
  if (signer !== undefined || apiKey !== undefined) warnIfUnencrypted(connection);
  return connection;
}

/** Sets no user-agent in browsers: a custom one would need a CORS preflight. */
function headersOf<D extends DecimalForm>({ decimals, defaultHeaders = {} }: ClientOptions<D>): Headers {
  const headers = new Headers({
    accept: `application/json${decimals === 'string' ? '; decimals=string' : ''}`,
  });
  if (!('document' in globalThis || 'importScripts' in globalThis))
    headers.set('user-agent', `trading-automation-sdk/${VERSION}`);
  for (const [name, value] of Object.entries(defaultHeaders)) headers.set(name, value);
  return headers;
}

/** Validates a timeout and limits it to the longest delay of a timer. @throws {RangeError} if it is not above 0 */
export function validTimeout(ms: number): number {
  if (!(ms > 0)) throw new RangeError(`timeout must be more than 0 milliseconds; got ${ms}.`);
  return Math.min(ms, TIMEOUT_MAX_MS);
}

export function validMaxRetries(retries: number): number {
  if (!Number.isSafeInteger(retries) || retries < 0)
    throw new RangeError(`maxRetries must be an integer of 0 or more; got ${retries}.`);
  return retries;
}

/**
 * Trims the key, which may come from a file with a line end. Validates it, because `fetch` would quote an invalid key
 * in its error.
 */
function validApiKey(value: string | undefined): string | undefined {
  const key = value?.trim();
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError(
      'apiKey is empty or contains characters that no API key has. Check it for spaces and line breaks.',
    );
  return key;
}

function originOf(name: string, variable: string, value: string | undefined, fallback?: string): string {
  const text = value ?? environmentVariable(variable) ?? fallback;
  if (text === undefined || text === '')
    throw new TypeError(
      `${name} is missing. Set it, or the environment variable ${variable}, to an origin such as http://127.0.0.1:4000.`,
    );
  const url = parseURL(text);
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.href !== `${url.origin}/` ||
    /[?#]/.test(text)
  )
    throw new TypeError(
      `${name} must be an origin without path, query or user, such as https://api.example.com.`,
    );
  return url.origin;
}

/** Parses a URL; returns undefined if it is invalid. URL.canParse is missing in browsers a few years old. */
function parseURL(text: string): URL | undefined {
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
      logger.warn(`${origin} is not encrypted: the network can read the credentials. Use https.`);
  }
}

function validLogLevel(level: string): LogLevel {
  if (!LOG_LEVELS.includes(level))
    throw new TypeError(`logLevel must be one of ${LOG_LEVELS.join(', ')}; got ${level}.`);
  return level as LogLevel;
}
