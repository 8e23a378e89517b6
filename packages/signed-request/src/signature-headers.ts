/**
 * Reads the four `x-svc-*` values of a request. Invariants
 * 1. All four once, each in its one spelling, else malformed; none at all is absent. Nothing is trimmed or mended.
 * 2. A header sent twice is malformed even when both values agree: an intermediary and this service could believe
 *    different ones. Hand in raw headers, since a merged map no longer shows it.
 * 3. No value is echoed: a refusal names the header and the rule.
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
 * Where the values stand: Node's flat `rawHeaders`, a list of pairs, or an object such as the payload of a GraphQL
 * `connection_init`. Names match in any case.
 */
export type HeaderSource =
  | readonly string[]
  | readonly (readonly [name: string, value: string])[]
  | Readonly<Record<string, unknown>>;

/** Well-formed values, none of them believed yet: the key may be off the curve, r and s out of range. */
export interface PresentSignatureHeaders {
  readonly kind: 'present';
  readonly publicKey: string;
  /** The digits as they were sent, for the canonical string. */
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
    // 16 digits reach past the year 200,000 and stay exact in a number.
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

/** @throws TypeError when a flat list ends with a name that has no value: the caller's fault, not the client's */
export function readSignatureHeaders(source: HeaderSource): SignatureHeadersReading {
  const found = new Map<SignatureHeaderName, unknown>();
  for (const [rawName, value] of entriesOf(source)) {
    const header = headerNamed(rawName);
    if (header === undefined) continue;
    if (found.has(header)) return { kind: 'malformed', header, reason: 'it was sent more than once' };
    found.set(header, value);
  }
  if (found.size === 0) return { kind: 'absent' };

  const values: Partial<Record<SignatureHeaderName, string>> = {};
  for (const header of SIGNATURE_HEADER_NAMES) {
    const value = found.get(header);
    if (!found.has(header)) return { kind: 'malformed', header, reason: 'it is missing beside the others' };
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
    if (name === undefined || value === undefined) throw new TypeError('raw headers come in pairs');
    yield [name, value];
  }
}
