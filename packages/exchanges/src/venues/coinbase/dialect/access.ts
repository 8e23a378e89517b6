/** Coinbase's tokens and errors: https://docs.cdp.coinbase.com/coinbase-app/authentication-authorization/api-key-authentication */
import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import type { VenueAnswer, VenueRequest } from '../../../../conformance/scripted/dialect.js';
import { type Account, Refusal, type RefusalKind } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

export function credentialsOf(number: number) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const apiSecret = privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  return { apiKey: `organizations/1/apiKeys/${number}`, apiSecret, passphrase: undefined };
}

const header = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal('JWT'),
  kid: z.string(),
  nonce: z.string().regex(/^[\da-f]{32}$/),
});
const payload = z.strictObject({
  iss: z.literal('cdp'),
  sub: z.string(),
  nbf: z.number(),
  exp: z.number(),
  uri: z.string().optional(),
});
const LONGEST_SECONDS = 120;

const decode = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

/**
 * Returns the account that signed a token.
 * @param uri method, host and path of the request; undefined for a stream
 */
export function accountOfToken(token: string, uri: string | undefined, exchange: ScriptedExchange): Account {
  const [head, body, signature] = token.split('.');
  // A request without a token, or with another form of signature.
  if (signature === undefined) throw new Refusal('UNKNOWN_KEY');
  const { kid } = header.parse(decode(head));
  const account = exchange.accounts.find(({ apiKey }) => apiKey === kid);
  if (account === undefined) throw new Refusal('UNKNOWN_KEY');
  const key = createPublicKey(account.apiSecret);
  const isSigned = createVerify('sha256')
    .update(`${head}.${body}`)
    .verify({ key, dsaEncoding: 'ieee-p1363' }, signature, 'base64url');
  const claims = payload.parse(decode(body));
  const now = exchange.now() / 1_000;
  const isValid = claims.nbf <= now && claims.exp >= now && claims.exp - claims.nbf <= LONGEST_SECONDS;
  if (!isSigned || !isValid || claims.sub !== kid || claims.uri !== uri) throw new Refusal('BAD_SIGNATURE');
  return account;
}

export function authenticate({ method, path, headers }: VenueRequest, exchange: ScriptedExchange): Account {
  const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
  return accountOfToken(token, `${method} api.coinbase.com${path}`, exchange);
}

/** https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders/create-order */
const REASONS: Readonly<Partial<Record<RefusalKind, string>>> = {
  UNKNOWN_SYMBOL: 'INVALID_PRODUCT_ID',
  PRICE_TICK: 'INVALID_PRICE_PRECISION',
  AMOUNT_STEP: 'INVALID_SIZE_PRECISION',
  MIN_AMOUNT: 'PREVIEW_INVALID_BASE_SIZE_TOO_SMALL',
  MAX_AMOUNT: 'PREVIEW_INVALID_BASE_SIZE_TOO_LARGE',
  MIN_NOTIONAL: 'PREVIEW_INVALID_QUOTE_SIZE_TOO_SMALL',
  INSUFFICIENT_BALANCE: 'INSUFFICIENT_FUND',
  WOULD_TAKE: 'INVALID_LIMIT_PRICE_POST_ONLY',
};

/** https://docs.cdp.coinbase.com/coinbase-app/advanced-trade-apis/guides/errors */
const ERRORS: Readonly<Partial<Record<RefusalKind, readonly [status: number, body: unknown]>>> = {
  // The exchange answers with this word alone, whatever is wrong with a token.
  UNKNOWN_KEY: [401, 'Unauthorized'],
  BAD_SIGNATURE: [401, 'Unauthorized'],
  NO_PERMISSION: [403, errorOf('PERMISSION_DENIED', 'Missing required scopes')],
  BAD_PARAMETER: [400, errorOf('INVALID_ARGUMENT', 'invalid parameter')],
  UNKNOWN_ORDER: [404, errorOf('NOT_FOUND', 'order with this orderID was not found')],
  RATE_LIMIT: [429, errorOf('resource_exhausted', 'too many requests')],
  MAINTENANCE: [503, errorOf('UNAVAILABLE', 'under maintenance')],
};

function errorOf(error: string, message: string) {
  return { error, error_details: message, message };
}

export function refuse(kind: RefusalKind): VenueAnswer | undefined {
  const error = ERRORS[kind];
  if (error !== undefined) return { status: error[0], body: error[1] };
  const reason = REASONS[kind];
  if (reason === undefined) return undefined;
  const isPreview = reason.startsWith('PREVIEW_');
  const error_response = {
    error: isPreview ? 'UNKNOWN_FAILURE_REASON' : reason,
    message: '',
    error_details: '',
    preview_failure_reason: isPreview ? reason : 'UNKNOWN_PREVIEW_FAILURE_REASON',
    new_order_failure_reason: isPreview ? 'UNKNOWN_FAILURE_REASON' : reason,
  };
  return { status: 200, body: { success: false, error_response, order_configuration: {} } };
}
