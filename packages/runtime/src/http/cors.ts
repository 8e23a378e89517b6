/**
 * CORS: decides which origins may read responses. Default: none.
 *
 * 1. Credentials are explicit headers, which browsers never add automatically. `*` is therefore safe, and
 *    `Access-Control-Allow-Credentials` is never sent.
 * 2. Error responses also have the CORS headers, so that a page can read the reason.
 * 3. Only existing paths respond to preflights; the response lists the methods of the path.
 */
type Headers = Readonly<Record<string, string>>;

/** The allowed origins. The list `['*']` allows every origin. */
export type CorsOrigins = readonly string[];

export const ALL_ORIGINS = '*';

/** The longest cache duration that browsers accept. */
const PREFLIGHT_SECONDS = 7_200;
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'x-api-key',
  'x-request-id',
  'x-svc-nonce',
  'x-svc-pubkey',
  'x-svc-sig',
  'x-svc-timestamp',
].join(', ');
const EXPOSED_HEADERS = [
  'deprecation',
  'etag',
  'idempotency-replayed',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-request-id',
].join(', ');

export class Cors {
  private readonly headersByOrigin: ReadonlyMap<string, Headers>;
  private readonly otherOriginHeaders: Headers;

  constructor(private readonly origins: CorsOrigins) {
    const forAll = origins.includes(ALL_ORIGINS);
    // A cached response for one origin must not be used for another.
    const vary: Headers = forAll ? {} : { vary: 'Origin' };
    const allowed = (origin: string): Headers => ({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED_HEADERS,
      ...vary,
    });
    this.headersByOrigin = new Map(forAll ? [] : origins.map((origin) => [origin, allowed(origin)]));
    this.otherOriginHeaders = forAll ? allowed(ALL_ORIGINS) : vary;
  }

  get isEnabled(): boolean {
    return this.origins.length > 0;
  }

  /** Returns the CORS headers of every response to this origin. */
  headersFor(origin: string | undefined): Headers {
    return (origin === undefined ? undefined : this.headersByOrigin.get(origin)) ?? this.otherOriginHeaders;
  }
}

/** Returns the additional headers of a preflight response to an allowed origin. */
export function preflightHeaders(methods: readonly string[]): Headers {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
}
