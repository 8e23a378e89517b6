import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Account } from '../engine/order.js';
import type { State } from '../engine/state.js';
import { refusals } from '../errors.js';

export interface SignedRequest {
  readonly apiKey: string | undefined;
  /** Query and body as sent, one after the other. */
  readonly payload: string;
  readonly params: URLSearchParams;
}

/** @throws VenueError unless the key is known, the time within recvWindow and the HMAC that of the account's secret. */
export function authenticate(state: State, request: SignedRequest, now: number): Account {
  const account = accountOf(state, request.apiKey);
  const signature = request.params.get('signature');
  if (signature === null) throw refusals.missing('signature');
  const timestamp = Number(request.params.get('timestamp') ?? Number.NaN);
  if (!Number.isSafeInteger(timestamp)) throw refusals.missing('timestamp');
  const recvWindow = Number(request.params.get('recvWindow') ?? 5_000);
  if (!(recvWindow > 0 && recvWindow <= 60_000)) throw refusals.malformed('recvWindow');
  const signed = request.payload.replace(/(^|&)signature=[^&]*/, '');
  const expected = createHmac('sha256', account.apiSecret).update(signed).digest();
  const given = Buffer.from(/^[0-9a-f]{64}$/i.test(signature) ? signature : '', 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw refusals.signature();
  if (timestamp >= now + 1_000 || now - timestamp > recvWindow) throw refusals.timestamp();
  return account;
}

function accountOf(state: State, apiKey: string | undefined): Account {
  if (apiKey === undefined || apiKey === '') throw refusals.apiKeyFormat();
  const account = state.accountByKey(apiKey);
  if (account === undefined) throw refusals.apiKey();
  return account;
}
