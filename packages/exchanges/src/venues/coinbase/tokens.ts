/** Coinbase's tokens: https://docs.cdp.coinbase.com/coinbase-app/authentication-authorization/api-key-authentication */
import { createSign, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { currentCredentials } from '../../ccxt/call.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { failure } from '../../ccxt/failures.js';
import { venueTime } from '../../ccxt/unified-balances.js';

/** How long a token is valid, in seconds. A request that changes something must not arrive much later. */
const READ_SECONDS = 60;
const WRITE_SECONDS = 6;
/** The difference of the clocks is only measured, so that a token begins to be valid earlier. */
const MARGIN_SECONDS = 5;

/** The request that a token is for; undefined for a stream. */
export interface TokenRequest {
  readonly method: string;
  readonly url: string;
}

/**
 * Returns a token that is signed with the private key of the current account.
 * @throws {ExchangeError} `fatal`/`credentials_rejected` if the secret is no private key
 */
export function createToken(ccxt: CcxtClient, request?: TokenRequest): string {
  const { apiKey = '', apiSecret = '' } = currentCredentials() ?? {};
  const now = Math.floor(venueTime(ccxt).getTime() / 1_000);
  const seconds = request === undefined || request.method === 'GET' ? READ_SECONDS : WRITE_SECONDS;
  const header = { alg: 'ES256', typ: 'JWT', kid: apiKey, nonce: randomBytes(16).toString('hex') };
  const payload = {
    iss: 'cdp',
    sub: apiKey,
    nbf: now - MARGIN_SECONDS,
    exp: now + seconds,
    ...(request && { uri: uriOf(request) }),
  };
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${signatureOf(signed, apiSecret)}`;
}

const claims = z.object({ nbf: z.number(), exp: z.number() });

/**
 * Returns whether a token was not valid at a time of the exchange. Then the request came late, or our clock is wrong;
 * the exchange answers both like wrong credentials.
 * @param date the value of the header, in whole seconds
 */
export function wasOutdated(token: string, date: string): boolean {
  const seconds = Date.parse(date) / 1_000;
  const { nbf, exp } = claims.parse(decode(token.split('.')[1] ?? ''));
  return seconds < nbf || seconds >= exp;
}

function uriOf({ method, url }: TokenRequest): string {
  const { host, pathname } = new URL(url);
  return `${method} ${host}${pathname}`;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

function signatureOf(text: string, privateKey: string): string {
  try {
    // A key that was copied from a JSON file has no line breaks.
    const key = privateKey.replaceAll('\\n', '\n');
    return createSign('sha256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64url');
  } catch {
    throw failure(['fatal', 'credentials_rejected']);
  }
}
