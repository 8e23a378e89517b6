import { createHmac, timingSafeEqual, verify as verifySignature } from 'node:crypto';
import type { Account } from '../engine/order.js';
import type { State } from '../engine/state.js';
import { VENUE_ERRORS } from '../errors.js';

interface SignatureInput {
  readonly apiKey: string | undefined;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  readonly recvWindow: string | undefined;
  /** The string that the signature covers. */
  readonly signed: string;
}

export interface SignedRequest {
  readonly apiKey: string | undefined;
  /** The query string and the body as sent, concatenated. */
  readonly payload: string;
  readonly params: URLSearchParams;
}

/** @throws VenueError if the key is unknown, the time is outside recvWindow or the HMAC does not match the secret. */
export function authenticate(state: State, { apiKey, payload, params }: SignedRequest, now: number): Account {
  const input = {
    apiKey,
    signature: params.get('signature') ?? undefined,
    timestamp: params.get('timestamp') ?? undefined,
    recvWindow: params.get('recvWindow') ?? undefined,
    signed: payload.replace(/(^|&)signature=[^&]*/, ''),
  };
  return verify(state, input, now);
}

/** Authenticates a WebSocket API request. Its signature covers the parameters, sorted by name and not URL-encoded. */
export function authenticateParams(
  state: State,
  params: Readonly<Record<string, unknown>>,
  now: number,
): Account {
  const text = (name: string) => (params[name] === undefined ? undefined : String(params[name]));
  const names = Object.keys(params).filter((name) => name !== 'signature');
  const input = {
    apiKey: text('apiKey'),
    signature: text('signature'),
    timestamp: text('timestamp'),
    recvWindow: text('recvWindow'),
    signed: names
      .sort()
      .map((name) => `${name}=${params[name]}`)
      .join('&'),
  };
  return verify(state, input, now);
}

function verify(state: State, input: SignatureInput, now: number): Account {
  const account = accountOf(state, input.apiKey);
  const { signature } = input;
  if (signature === undefined) throw VENUE_ERRORS.missing('signature');
  const { timestamp, recvWindow } = readTiming(input);
  if (!isSignedBy(account, input.signed, signature)) throw VENUE_ERRORS.invalidSignature();
  assertTimely(timestamp, recvWindow, now);
  return account;
}

function readTiming(input: Pick<SignatureInput, 'timestamp' | 'recvWindow'>) {
  const timestamp = Number(input.timestamp ?? Number.NaN);
  if (!Number.isSafeInteger(timestamp)) throw VENUE_ERRORS.missing('timestamp');
  const recvWindow = Number(input.recvWindow ?? 5_000);
  if (!(recvWindow > 0 && recvWindow <= 60_000)) throw VENUE_ERRORS.malformed('recvWindow');
  return { timestamp, recvWindow };
}

function assertTimely(timestamp: number, recvWindow: number, now: number): void {
  if (timestamp >= now + 1_000 || now - timestamp > recvWindow) throw VENUE_ERRORS.invalidTimestamp();
}

/** Returns whether the signature is an HMAC with the secret (hex), or an Ed25519 signature of the public key (base64). */
function isSignedBy({ apiSecret, publicKey }: Account, signed: string, signature: string): boolean {
  if (publicKey !== undefined)
    return verifySignature(null, Buffer.from(signed), publicKey, Buffer.from(signature, 'base64'));
  const expected = createHmac('sha256', apiSecret).update(signed).digest();
  const sent = Buffer.from(/^[0-9a-f]{64}$/i.test(signature) ? signature : '', 'hex');
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

/** Checks the time of a request of a session, which needs no signature. @throws VenueError -1021 or -1102 */
export function assertSessionTime(params: Readonly<Record<string, unknown>>, now: number): void {
  const text = (name: string) => (params[name] === undefined ? undefined : String(params[name]));
  const { timestamp, recvWindow } = readTiming({
    timestamp: text('timestamp'),
    recvWindow: text('recvWindow'),
  });
  assertTimely(timestamp, recvWindow, now);
}

/** Identifies a caller by its API key alone. @throws VenueError if the key is missing or unknown */
export function authenticateKey(state: State, apiKey: string | undefined): Account {
  return accountOf(state, apiKey);
}

function accountOf(state: State, apiKey: string | undefined): Account {
  if (apiKey === undefined || apiKey === '') throw VENUE_ERRORS.invalidApiKeyFormat();
  const account = state.accountByKey(apiKey);
  if (account === undefined) throw VENUE_ERRORS.invalidApiKey();
  return account;
}
