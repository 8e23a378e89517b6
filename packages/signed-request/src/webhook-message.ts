/**
 * What a webhook says and what is signed of it, as the public Standard Webhooks specification has it; the hashing is
 * left to who asks, at once (./webhooks.ts) or by Web Crypto (./webhooks-web-crypto.ts). Invariants
 * 1. What is verified is the raw body, byte for byte as it came: JSON that was parsed and written again is not it.
 * 2. Every signature is compared with that of every secret, each in constant time and none left out: neither which
 *    one matched nor how far one did shows in the time.
 * 3. Only `v1` counts. Others may stand beside it, of schemes to come; none of them can make a message genuine.
 * 4. Errors say what to mend, and hold no secret and no signature.
 */
import { equalInConstantTime } from './constant-time.js';

/** How old, or how early, a webhook may be, unless a receiver says otherwise. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;

export type WebhookRefusalCode =
  /** A header is missing, was sent twice or is not of its form. */
  | 'malformed_header'
  /** Sent too long ago: a replay, or a clock that is wrong. */
  | 'too_old'
  /** Sent in the future: a clock is wrong. */
  | 'too_new'
  /** No signature is of this body under this secret. */
  | 'signature_mismatch';

/** The webhook is not to be believed. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly code: WebhookRefusalCode,
    message: string,
  ) {
    super(message);
  }
}

/** `Headers` of fetch, or Node's `request.headers`. Names match in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ReceivedWebhook {
  /** The raw body, before any parser. */
  readonly payload: string | Uint8Array;
  readonly headers: WebhookHeaders;
  /** `whsec_…`; several while a rotation is under way. */
  readonly secret: string | readonly string[];
  /** {@link WEBHOOK_TOLERANCE_SECONDS} where left out. */
  readonly toleranceSeconds?: number;
  /** Unix time in milliseconds; the system's clock where left out. */
  readonly nowMs?: number;
}

export interface VerifiedWebhook {
  /** The event's id: the same at every attempt to deliver it. Who has seen it before has nothing more to do. */
  readonly id: string;
  /** When this attempt was sent. */
  readonly sentAt: Date;
}

/** What is signed of a webhook. */
export interface SentWebhook {
  /** The event's id. */
  readonly id: string;
  /** The raw body, byte for byte as it is sent. */
  readonly payload: string | Uint8Array;
  /** `whsec_…` */
  readonly secret: string;
  /** Unix time in milliseconds; the system's clock where left out. */
  readonly nowMs?: number;
}

/** A type, not an interface: `fetch` takes it for headers so. */
export type SignedWebhookHeaders = {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
};

/** A webhook that is well-formed and of this time; whether it is genuine, its signatures are still to tell. */
export interface ParsedWebhook extends VerifiedWebhook {
  /** What was signed. */
  readonly message: Bytes;
  /** One for each secret. */
  readonly keys: readonly Bytes[];
  /** The header as it came. */
  readonly signatures: string;
}

/** Bytes of their own, as Web Crypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** @throws {WebhookVerificationError} @throws {TypeError} as `verifyWebhook` does */
export function readWebhook(received: ReceivedWebhook): ParsedWebhook {
  const { payload, headers, toleranceSeconds = WEBHOOK_TOLERANCE_SECONDS, nowMs = Date.now() } = received;
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array))
    throw new TypeError('The payload must be the raw body, text or bytes, as it is before a JSON parser.');
  const keys = [received.secret].flat().map(keyOf);
  if (keys.length === 0) throw new TypeError('There is no secret to verify with.');

  const id = readHeader(headers, 'webhook-id', ID);
  const timestamp = readHeader(headers, 'webhook-timestamp', TIMESTAMP);
  const signatures = readHeader(headers, 'webhook-signature', SIGNATURES);
  judgeAge(Number(timestamp), Math.floor(nowMs / 1000), toleranceSeconds);
  const message = messageOf(id, timestamp, payload);
  return { id, sentAt: new Date(Number(timestamp) * 1000), message, keys, signatures };
}

/** The verdict. @param macs HMAC-SHA-256 of the message, by each of the keys @throws {WebhookVerificationError} where none is among the signatures */
export function judgeWebhook(
  { id, sentAt, signatures }: ParsedWebhook,
  macs: readonly Uint8Array[],
): VerifiedWebhook {
  if (!isSignedByAny(signatures, macs)) {
    throw new WebhookVerificationError(
      'signature_mismatch',
      'No signature matches. Verify the raw body, byte for byte as it came, before any parser; and use the secret of this webhook, as its creation or its last rotation showed it.',
    );
  }
  return { id, sentAt };
}

/** What a sender signs. */
export interface WebhookToSign {
  readonly id: string;
  readonly timestamp: string;
  readonly message: Bytes;
  readonly key: Bytes;
}

/** @throws {TypeError} where the secret is none, or a receiver would not take the id or the time */
export function prepareWebhook({ id, payload, secret, nowMs = Date.now() }: SentWebhook): WebhookToSign {
  const timestamp = String(Math.floor(nowMs / 1000));
  if (!ID.pattern.test(id)) throw new TypeError(`The id of a webhook must be ${ID.words}.`);
  if (!TIMESTAMP.pattern.test(timestamp))
    throw new TypeError(`The time of a webhook must be ${TIMESTAMP.words}.`);
  return { id, timestamp, message: messageOf(id, timestamp, payload), key: keyOf(secret) };
}

/** The three headers. @param mac HMAC-SHA-256 of the message, by the key */
export function webhookHeadersOf({ id, timestamp }: WebhookToSign, mac: Uint8Array): SignedWebhookHeaders {
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': VERSION + base64Of(mac),
  };
}

const PREFIX = 'whsec_';
/** What the specification asks of a secret. */
const KEY_MIN_BYTES = 24;
const KEY_MAX_BYTES = 64;
const VERSION = 'v1,';
const encoder = new TextEncoder();

interface HeaderForm {
  readonly pattern: RegExp;
  readonly words: string;
}
/** A full stop would let a part of one header pass for a part of the next. */
const ID: HeaderForm = {
  pattern: /^[\x21-\x2b\x2d\x2f-\x7e]+$/,
  words: 'an id without spaces and full stops',
};
const TIMESTAMP: HeaderForm = { pattern: /^[1-9]\d{0,11}$/, words: 'Unix time in whole seconds' };
const SIGNATURES: HeaderForm = { pattern: /^[\x20-\x7e]+$/, words: 'signatures, separated by spaces' };

function keyOf(secret: string): Bytes {
  const key =
    typeof secret === 'string'
      ? bytesOfBase64(secret.slice(secret.startsWith(PREFIX) ? PREFIX.length : 0))
      : undefined;
  if (key === undefined || key.length < KEY_MIN_BYTES || key.length > KEY_MAX_BYTES)
    throw new TypeError('The secret is none: it is whsec_ and the base64 after it, as it was shown.');
  return key;
}

function bytesOfBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function readHeader(headers: WebhookHeaders, name: string, { pattern, words }: HeaderForm): string {
  const value = givenIn(headers, name);
  if (value === undefined || value === null) {
    throw new WebhookVerificationError(
      'malformed_header',
      `${name} is missing. Hand in all headers of the request; a proxy may have taken it out.`,
    );
  }
  if (typeof value !== 'string' || !pattern.test(value))
    throw new WebhookVerificationError('malformed_header', `${name} is not what it must be: ${words}, once.`);
  return value;
}

function givenIn(headers: WebhookHeaders, name: string): unknown {
  if (typeof headers.get === 'function') return headers.get(name);
  const found = Object.entries(headers).filter(([given]) => given.toLowerCase() === name);
  return found.length > 1 ? found : found[0]?.[1];
}

function judgeAge(sentSeconds: number, nowSeconds: number, toleranceSeconds: number): void {
  const ageSeconds = nowSeconds - sentSeconds;
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const [code, distance] =
    ageSeconds > 0
      ? (['too_old', `${ageSeconds} s ago`] as const)
      : (['too_new', `${-ageSeconds} s from now`] as const);
  throw new WebhookVerificationError(
    code,
    `The webhook was sent ${distance}; ${toleranceSeconds} s are allowed. Is this machine's clock right? A stored copy can't be verified again later.`,
  );
}

/** Nothing ends early: every signature meets every key's. */
function isSignedByAny(signatures: string, macs: readonly Uint8Array[]): boolean {
  const expected = macs.map((mac) => encoder.encode(base64Of(mac)));
  let matches = 0;
  for (const signature of signatures.split(' ')) {
    if (!signature.startsWith(VERSION)) continue;
    const given = encoder.encode(signature.slice(VERSION.length));
    for (const each of expected) matches += equalInConstantTime(given, each) ? 1 : 0;
  }
  return matches > 0;
}

function messageOf(id: string, timestamp: string, payload: string | Uint8Array): Bytes {
  const head = encoder.encode(`${id}.${timestamp}.`);
  const body = typeof payload === 'string' ? encoder.encode(payload) : payload;
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  return message;
}

function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
