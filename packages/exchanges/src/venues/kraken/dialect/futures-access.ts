/** Authentication and refusals of Kraken's futures API: https://docs.kraken.com/exchange/guides/futures/introduction */
import { createHash, createHmac } from 'node:crypto';
import type { VenueAnswer, VenueRequest } from '../../../../conformance/scripted/dialect.js';
import { type Account, Refusal, type RefusalKind } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

/** Errors of every call: https://docs.kraken.com/api-reference/order-management/send-order */
const ERRORS: Readonly<Partial<Record<RefusalKind, readonly [status: number, error: string]>>> = {
  UNKNOWN_KEY: [401, 'authenticationError'],
  BAD_SIGNATURE: [401, 'authenticationError'],
  NO_PERMISSION: [401, 'authenticationError'],
  UNKNOWN_SYMBOL: [400, 'contractNotFound'],
  BAD_PARAMETER: [400, 'invalidArgument'],
  RATE_LIMIT: [429, 'apiLimitExceeded'],
  MAINTENANCE: [503, 'Unavailable'],
};

/** What a new order gets instead of being placed: the `status` of the page above. */
const STATUSES: Readonly<Partial<Record<RefusalKind, string>>> = {
  PRICE_TICK: 'invalidPrice',
  AMOUNT_STEP: 'invalidSize',
  MIN_AMOUNT: 'invalidSize',
  MAX_AMOUNT: 'invalidSize',
  INSUFFICIENT_MARGIN: 'insufficientAvailableFunds',
  WOULD_TAKE: 'postWouldExecute',
  DUPLICATE_CLIENT_ORDER_ID: 'clientOrderIdAlreadyExist',
  UNKNOWN_ORDER: 'notFound',
  REDUCE_ONLY: 'wouldNotReducePosition',
};

const now = () => new Date().toISOString();

export function refuseFutures(kind: RefusalKind, path: string): VenueAnswer | undefined {
  const error = ERRORS[kind];
  if (error !== undefined) {
    const [status, name] = error;
    return { status, body: { result: 'error', error: name, serverTime: now() } };
  }
  const status = STATUSES[kind];
  if (status === undefined) return undefined;
  const result = { receivedTime: now(), status };
  const member = path.endsWith('/cancelorder')
    ? { cancelStatus: result }
    : { sendStatus: { ...result, orderEvents: [] } };
  return { status: 200, body: { result: 'success', serverTime: now(), ...member } };
}

export function authenticateFutures(
  { path, query, headers }: VenueRequest,
  exchange: ScriptedExchange,
): Account {
  const account = exchange.accounts.find(({ apiKey }) => apiKey === headers.apikey);
  if (account === undefined) throw new Refusal('UNKNOWN_KEY');
  // Trading calls are signed without the first part of their path. Parameters are signed as they are sent.
  const signed = `${query}${path.replace(/^\/derivatives/, '')}`;
  if (headers.authent !== signatureOf(signed, account)) throw new Refusal('BAD_SIGNATURE');
  return account;
}

/** The signature of a request, and of the challenge of a stream. */
export function signatureOf(text: string, { apiSecret }: Pick<Account, 'apiSecret'>): string {
  const digest = createHash('sha256').update(text).digest();
  return createHmac('sha512', Buffer.from(apiSecret, 'base64')).update(digest).digest('base64');
}
