/**
 * Parses webhooks and prepares them for signing, according to the public Standard Webhooks specification. The HMAC is
 * computed by the callers: synchronously by ./webhooks.ts, and with Web Crypto by ./webhooks-web-crypto.ts. Invariants:
 * 1. The raw body is verified, byte for byte. JSON that was parsed and serialized again fails.
 * 2. Every received signature is compared with the expected signature of every secret, in constant time and without an
 *    early exit. The timing reveals neither which signature matched nor how much of it.
 * 3. Only `v1` signatures are verified. Signatures of other schemes are ignored.
 * 4. Errors say how to fix the problem and contain no secret and no signature.
 */
import { equalInConstantTime } from './constant-time.js';

/** Default maximum difference between the timestamp of a webhook and now, in seconds. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;

/** Why a webhook was rejected. */
export type WebhookRefusalCode =
  /** A header is missing, repeated or malformed. */
  | 'malformed_header'
  /** Sent too long ago: a replay or a wrong clock. */
  | 'too_old'
  /** Sent in the future: a clock is wrong. */
  | 'too_new'
  /** No signature matches this body and secret. */
  | 'signature_mismatch';

/** The webhook failed verification; `code` says why. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly code: WebhookRefusalCode,
    message: string,
  ) {
    super(message);
  }
}

/** `Headers` of fetch, or Node's `request.headers`. Names are case-insensitive. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ReceivedWebhook {
  /** The raw body, before any parser. */
  readonly payload: string | Uint8Array;
  readonly headers: WebhookHeaders;
  /** The signing secret, `whsec_…`. During a rotation, a list of secrets. */
  readonly secret: string | readonly string[];
  /** Default: {@link WEBHOOK_TOLERANCE_SECONDS}. */
  readonly toleranceSeconds?: number;
  /** Unix time in milliseconds. Default: the system clock. */
  readonly nowMs?: number;
}

export interface VerifiedWebhook {
  /** Id of the event, the same at every delivery attempt. Ignore an id that you have processed. */
  readonly id: string;
  /** Time at which this attempt was sent. */
  readonly sentAt: Date;
}

/** A webhook to sign. */
export interface SentWebhook {
  /** Id of the event. */
  readonly id: string;
  /** The raw body, exactly as sent. */
  readonly payload: string | Uint8Array;
  /** The signing secret, `whsec_…`. */
  readonly secret: string;
  /** Unix time in milliseconds. Default: the system clock. */
  readonly nowMs?: number;
}

/** A type instead of an interface, so that `fetch` accepts it as headers. */
export type SignedWebhookHeaders = {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
};

/** A well-formed and recent webhook whose signatures are not verified yet. */
export interface ParsedWebhook extends VerifiedWebhook {
  /** The signed bytes. */
  readonly message: Bytes;
  /** The HMAC keys, one for each secret. */
  readonly keys: readonly Bytes[];
  /** The header `webhook-signature`, not parsed yet. */
  readonly signatures: string;
}

/** Bytes in an `ArrayBuffer`, as Web Crypto requires. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Parses a webhook and checks its age. Throws the same errors as `verifyWebhook`. */
export function readWebhook(received: ReceivedWebhook): ParsedWebhook {
  const { payload, headers, toleranceSeconds = WEBHOOK_TOLERANCE_SECONDS, nowMs = Date.now() } = received;
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array))
    throw new TypeError(
      'The payload must be the raw body, a string or bytes. Pass it before any JSON parser.',
    );
  const keys = [received.secret].flat().map(keyOf);
  if (keys.length === 0) throw new TypeError('The list of secrets is empty. Pass at least one.');

  const id = readHeader(headers, 'webhook-id', ID);
  const timestamp = readHeader(headers, 'webhook-timestamp', TIMESTAMP);
  const signatures = readHeader(headers, 'webhook-signature', SIGNATURES);
  checkAge(Number(timestamp), Math.floor(nowMs / 1000), toleranceSeconds);
  const message = messageOf(id, timestamp, payload);
  return { id, sentAt: new Date(Number(timestamp) * 1000), message, keys, signatures };
}

/**
 * Compares the signatures of a webhook with the expected ones.
 *
 * @param macs HMAC-SHA-256 of the message under each key
 * @throws {WebhookVerificationError} if no signature matches
 */
export function checkSignatures(
  { id, sentAt, signatures }: ParsedWebhook,
  macs: readonly Uint8Array[],
): VerifiedWebhook {
  if (!isSignedByAny(signatures, macs)) {
    throw new WebhookVerificationError(
      'signature_mismatch',
      'No signature matches. Pass the raw body, before any parser, and the secret of this webhook from its creation or last rotation.',
    );
  }
  return { id, sentAt };
}

/** A webhook that is ready to be signed. */
export interface WebhookToSign {
  readonly id: string;
  readonly timestamp: string;
  readonly message: Bytes;
  readonly key: Bytes;
}

/** Prepares a webhook for signing. @throws {TypeError} if the secret, the id or the time is invalid */
export function prepareWebhook({ id, payload, secret, nowMs = Date.now() }: SentWebhook): WebhookToSign {
  const timestamp = String(Math.floor(nowMs / 1000));
  if (!ID.pattern.test(id)) throw new TypeError(`The id of the webhook must be ${ID.description}.`);
  if (!TIMESTAMP.pattern.test(timestamp))
    throw new TypeError(`The time of the webhook must be ${TIMESTAMP.description}.`);
  return { id, timestamp, message: messageOf(id, timestamp, payload), key: keyOf(secret) };
}

/** Returns the three headers. @param mac HMAC-SHA-256 of the message under the key */
export function webhookHeadersOf({ id, timestamp }: WebhookToSign, mac: Uint8Array): SignedWebhookHeaders {
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': VERSION + base64Of(mac),
  };
}

const PREFIX = 'whsec_';
/** Length limits of the specification. */
const KEY_MIN_BYTES = 24;
const KEY_MAX_BYTES = 64;
const VERSION = 'v1,';
const encoder = new TextEncoder();

interface HeaderForm {
  readonly pattern: RegExp;
  readonly description: string;
}
/** An id must not contain a full stop, because full stops separate id, timestamp and body in the signed bytes. */
const ID: HeaderForm = {
  pattern: /^[\x21-\x2b\x2d\x2f-\x7e]+$/,
  description: 'an id without spaces and full stops',
};
const TIMESTAMP: HeaderForm = { pattern: /^[1-9]\d{0,11}$/, description: 'Unix time in whole seconds' };
const SIGNATURES: HeaderForm = { pattern: /^[\x20-\x7e]+$/, description: 'signatures, separated by spaces' };

function keyOf(secret: string): Bytes {
  const key =
    typeof secret === 'string'
      ? bytesOfBase64(secret.slice(secret.startsWith(PREFIX) ? PREFIX.length : 0))
      : undefined;
  if (key === undefined || key.length < KEY_MIN_BYTES || key.length > KEY_MAX_BYTES)
    throw new TypeError('The secret is invalid. Pass it exactly as the API returned it: whsec_ and base64.');
  return key;
}

function bytesOfBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function readHeader(headers: WebhookHeaders, name: string, { pattern, description }: HeaderForm): string {
  const value = valueIn(headers, name);
  if (value === undefined || value === null) {
    throw new WebhookVerificationError(
      'malformed_header',
      `${name} is missing. Pass all headers of the request; a proxy may have removed it.`,
    );
  }
  if (typeof value !== 'string' || !pattern.test(value))
    throw new WebhookVerificationError('malformed_header', `${name} must occur once and be ${description}.`);
  return value;
}

function valueIn(headers: WebhookHeaders, name: string): unknown {
  if (typeof headers.get === 'function') return headers.get(name);
  const matches = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  return matches.length > 1 ? matches : matches[0]?.[1];
}

function checkAge(sentSeconds: number, nowSeconds: number, toleranceSeconds: number): void {
  const ageSeconds = nowSeconds - sentSeconds;
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const [code, distance] =
    ageSeconds > 0
      ? (['too_old', `${ageSeconds} s ago`] as const)
      : (['too_new', `${-ageSeconds} s from now`] as const);
  throw new WebhookVerificationError(
    code,
    `The webhook was sent ${distance}; ${toleranceSeconds} s are allowed. Check this machine's clock. A stored webhook cannot be verified later.`,
  );
}

/** Compares every signature with every expected one, without an early exit. */
function isSignedByAny(signatures: string, macs: readonly Uint8Array[]): boolean {
  const expected = macs.map((mac) => encoder.encode(base64Of(mac)));
  let matches = 0;
  for (const signature of signatures.split(' ')) {
    if (!signature.startsWith(VERSION)) continue;
    const received = encoder.encode(signature.slice(VERSION.length));
    for (const each of expected) matches += equalInConstantTime(received, each) ? 1 : 0;
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
