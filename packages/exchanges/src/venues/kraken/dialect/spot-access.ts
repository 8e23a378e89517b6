/** Authentication and refusals of Kraken's spot API: https://docs.kraken.com/exchange/guides/rest/authentication */
import { createHash, createHmac } from 'node:crypto';
import type { VenueAnswer, VenueRequest } from '../../../../conformance/scripted/dialect.js';
import { type Account, Refusal, type RefusalKind } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

/** https://docs.kraken.com/exchange/guides/general/errors */
const ERRORS: Readonly<Partial<Record<RefusalKind, string>>> = {
  UNKNOWN_KEY: 'EAPI:Invalid key',
  BAD_SIGNATURE: 'EAPI:Invalid signature',
  BAD_TIMESTAMP: 'EAPI:Invalid nonce',
  NO_PERMISSION: 'EGeneral:Permission denied',
  UNKNOWN_SYMBOL: 'EQuery:Unknown asset pair',
  BAD_PARAMETER: 'EGeneral:Invalid arguments',
  PRICE_TICK: 'EOrder:Tick size check failed',
  AMOUNT_STEP: 'EGeneral:Invalid arguments:volume',
  MIN_AMOUNT: 'EOrder:Order minimum not met',
  MAX_AMOUNT: 'EGeneral:Invalid arguments:volume',
  MIN_NOTIONAL: 'EOrder:Cost minimum not met',
  INSUFFICIENT_BALANCE: 'EOrder:Insufficient funds',
  WOULD_TAKE: 'EOrder:Post only order',
  // The documentation says that ids are unique among open orders, and does not contain the error.
  DUPLICATE_CLIENT_ORDER_ID: 'EOrder:Duplicate order',
  UNKNOWN_ORDER: 'EOrder:Unknown order',
  RATE_LIMIT: 'EAPI:Rate limit exceeded',
  MAINTENANCE: 'EService:Unavailable',
};

export function refuseSpot(kind: RefusalKind): VenueAnswer | undefined {
  const error = ERRORS[kind];
  return error === undefined ? undefined : { status: 200, body: { error: [error] } };
}

/** The highest nonce of each account. */
const nonces = new WeakMap<Account, bigint>();

export function authenticateSpot({ path, body, headers }: VenueRequest, exchange: ScriptedExchange): Account {
  const account = exchange.accounts.find(({ apiKey }) => apiKey === headers['api-key']);
  if (account === undefined) throw new Refusal('UNKNOWN_KEY');
  const nonce = new URLSearchParams(body).get('nonce') ?? '';
  const digest = createHash('sha256').update(`${nonce}${body}`).digest();
  const expected = createHmac('sha512', Buffer.from(account.apiSecret, 'base64'))
    .update(path)
    .update(digest)
    .digest('base64');
  if (headers['api-sign'] !== expected) throw new Refusal('BAD_SIGNATURE');
  if (!/^\d+$/.test(nonce) || BigInt(nonce) <= (nonces.get(account) ?? -1n))
    throw new Refusal('BAD_TIMESTAMP');
  nonces.set(account, BigInt(nonce));
  return account;
}
