/** BingX's signatures: https://bingx-api.github.io/docs-v3/#/en/Quick%20Start/Signature%20Authentication */
import { createHash, createHmac } from 'node:crypto';
import type { Dialect } from '../../../../conformance/scripted/dialect.js';
import { type Account, Refusal } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

/** A time is valid for five seconds. */
const CLOCK_MS = 5_000;
export const LISTEN_KEYS_PATH = '/openApi/user/auth/userDataStream';

/** The parameters that every call may have. */
export const ACCESS_PARAMS = ['timestamp', 'signature'];

const byName = ([a]: readonly string[], [b]: readonly string[]): number => ((a ?? '') < (b ?? '') ? -1 : 1);

export const authenticate: Dialect['authenticate'] = ({ path, query, headers }, exchange) => {
  const account = exchange.accounts.find(({ apiKey }) => apiKey === headers['x-bx-apikey']);
  if (account === undefined) throw new Refusal('UNKNOWN_KEY');
  // The page of listen keys shows calls that have the key alone.
  if (path === LISTEN_KEYS_PATH) return account;
  const params = new URLSearchParams(query);
  const signed = [...params].filter(([name]) => name !== 'signature').sort(byName);
  const text = signed.map(([name, value]) => `${name}=${value}`).join('&');
  const expected = createHmac('sha256', account.apiSecret).update(text).digest('hex');
  if (params.get('signature') !== expected) throw new Refusal('BAD_SIGNATURE');
  const at = Number(params.get('timestamp'));
  if (!(Math.abs(exchange.now() - at) < CLOCK_MS)) throw new Refusal('BAD_TIMESTAMP');
  return account;
};

export const listenKeyOf = ({ apiKey }: Account): string => createHash('sha256').update(apiKey).digest('hex');

export const accountOfListenKey = (exchange: ScriptedExchange, listenKey: string): Account | undefined =>
  exchange.accounts.find((account) => listenKeyOf(account) === listenKey);
