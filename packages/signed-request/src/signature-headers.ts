/**
 * Reads the four `x-svc-*` headers of a request. Invariants:
 * 1. Each header must occur once in its canonical form; otherwise the result is `malformed`. If all four are missing, the
 *    result is `absent`. Values are never trimmed or corrected.
 * 2. A repeated header is malformed even if both values are equal, because a proxy and this service could use different
 *    ones. Pass raw headers, since a merged map does not show repetitions.
 * 3. Values are never echoed: an error names the header and its rule.
 */
import { isLowerHex } from './encoding.js';

export const SIGNATURE_HEADER_NAMES = [
  'x-svc-pubkey',
  'x-svc-timestamp',
  'x-svc-nonce',
  'x-svc-sig',
] as const;

export type SignatureHeaderName = (typeof SIGNATURE_HEADER_NAMES)[number];

/** The four headers as a signer sends them. */
export type SignatureHeaders = Readonly<Record<SignatureHeaderName, string>>;

/**
 * The headers: Node's flat `rawHeaders`, a list of pairs, or an object such as the payload of a GraphQL `connection_init`.
 * Names are case-insensitive.
 */
export type HeaderSource =
  | readonly string[]
  | readonly (readonly [name: string, value: string])[]
  | Readonly<Record<string, unknown>>;

/** Well-formed but unverified values: the key may be off the curve, and r or s out of range. */
export interface PresentSignatureHeaders {
  readonly kind: 'present';
  readonly publicKey: string;
  /** The exact digits, for the canonical string. */
  readonly timestamp: string;
  readonly timestampMs: number;
  readonly nonce: string;
  readonly signature: string;
}

export type SignatureHeadersReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed'; readonly header: SignatureHeaderName; readonly reason: string }
  | PresentSignatureHeaders;

interface HeaderRule {
  readonly isMet: (value: string) => boolean;
  readonly reason: string;
}

const RULES: Readonly<Record<SignatureHeaderName, HeaderRule>> = {
  'x-svc-pubkey': {
    isMet: (value) => /^0[23]/.test(value) && isLowerHex(value, 33),
    reason: 'a compressed public key is 66 lower-case hex characters beginning with 02 or 03',
  },
  'x-svc-timestamp': {
    // 16 digits reach beyond the year 200,000 and are exact as a number.
    isMet: (value) => /^[0-9]{1,16}$/.test(value) && Number.isSafeInteger(Number(value)),
    reason: 'a timestamp is Unix time in milliseconds, digits only',
  },
  'x-svc-nonce': {
    isMet: (value) => isLowerHex(value, 16),
    reason: 'a nonce is 32 lower-case hex characters',
  },
  'x-svc-sig': {
    isMet: (value) => isLowerHex(value, 64),
    reason: 'a signature is r then s, 128 lower-case hex characters, not DER',
  },
};

/** Reads the headers. @throws TypeError if a flat list has a name without a value, which is an error of the caller */
export function readSignatureHeaders(source: HeaderSource): SignatureHeadersReading {
  const received = new Map<SignatureHeaderName, unknown>();
  for (const [rawName, value] of entriesOf(source)) {
    const header = headerNamed(rawName);
    if (header === undefined) continue;
    if (received.has(header)) return { kind: 'malformed', header, reason: 'it was sent more than once' };
    received.set(header, value);
  }
  if (received.size === 0) return { kind: 'absent' };

  const values: Partial<Record<SignatureHeaderName, string>> = {};
  for (const header of SIGNATURE_HEADER_NAMES) {
    const value = received.get(header);
    if (!received.has(header))
      return { kind: 'malformed', header, reason: 'it is missing, although another x-svc-* header was sent' };
    const { isMet, reason } = RULES[header];
    if (typeof value !== 'string' || !isMet(value)) return { kind: 'malformed', header, reason };
    values[header] = value;
  }
  return present(values as SignatureHeaders);
}

function present(values: SignatureHeaders): PresentSignatureHeaders {
  const timestamp = values['x-svc-timestamp'];
  return {
    kind: 'present',
    publicKey: values['x-svc-pubkey'],
    timestamp,
    timestampMs: Number(timestamp),
    nonce: values['x-svc-nonce'],
    signature: values['x-svc-sig'],
  };
}

function headerNamed(rawName: string): SignatureHeaderName | undefined {
  const name = rawName.toLowerCase();
  return SIGNATURE_HEADER_NAMES.find((known) => known === name);
}

function entriesOf(source: HeaderSource): Iterable<readonly [string, unknown]> {
  if (isPairs(source)) return source;
  return isFlat(source) ? pairsOf(source) : Object.entries(source);
}

function isPairs(source: HeaderSource): source is readonly (readonly [string, string])[] {
  return Array.isArray(source) && Array.isArray(source[0]);
}

function isFlat(source: HeaderSource): source is readonly string[] {
  return Array.isArray(source);
}

function* pairsOf(flat: readonly string[]): Generator<readonly [string, string]> {
  for (let i = 0; i < flat.length; i += 2) {
    const [name, value] = flat.slice(i, i + 2);
    if (name === undefined || value === undefined)
      throw new TypeError('Raw headers must be pairs of name and value.');
    yield [name, value];
  }
}
