/**
 * Which pages of other origins may read answers: none unless configuration names them.
 *
 * 1. Credentials are sent in headers by who has them, never by a browser of itself; so `*` gives nobody's away, and
 *    `Access-Control-Allow-Credentials` is never sent.
 * 2. Refusals and faults carry the headers too: a page that can't read why it was refused can't mend it.
 * 3. A preflight is answered for the paths that are served, with the methods that they have.
 */
type Headers = Readonly<Record<string, string>>;

/** Origins as browsers send them, `*` alone for all, or none. */
export type CorsOrigins = readonly string[];

export const ALL_ORIGINS = '*';

/** The most that browsers heed. */
const PREFLIGHT_SECONDS = 7_200;
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
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
  'idempotency-replayed',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-request-id',
].join(', ');

export class Cors {
  private readonly byOrigin: ReadonlyMap<string, Headers>;
  private readonly others: Headers;

  constructor(private readonly origins: CorsOrigins) {
    const forAll = origins.includes(ALL_ORIGINS);
    // An answer to one origin must not be taken out of a cache for another.
    const vary: Headers = forAll ? {} : { vary: 'Origin' };
    const allowed = (origin: string): Headers => ({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED_HEADERS,
      ...vary,
    });
    this.byOrigin = new Map(forAll ? [] : origins.map((origin) => [origin, allowed(origin)]));
    this.others = forAll ? allowed(ALL_ORIGINS) : vary;
  }

  get isOn(): boolean {
    return this.origins.length > 0;
  }

  /** What every answer to this origin carries. */
  headersFor(origin: string | undefined): Headers {
    return (origin === undefined ? undefined : this.byOrigin.get(origin)) ?? this.others;
  }
}

/** What the answer to a preflight of an allowed origin adds. */
export function preflightHeaders(methods: readonly string[]): Headers {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
}
