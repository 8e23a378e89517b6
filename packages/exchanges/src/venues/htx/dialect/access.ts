/** HTX's signatures: https://huobiapi.github.io/docs/spot/v1/en/#signature-method */
import { createHmac } from 'node:crypto';
import type { Dialect } from '../../../../conformance/scripted/dialect.js';
import { type Account, Refusal } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

/** The host is signed; it is the same for calls and for the account stream. */
const HOST = 'api.huobi.pro';
/** A time is valid for five minutes. */
const CLOCK_MS = 300_000;

/** The parameters of a call that are part of its signature only. */
export const ACCESS_PARAMS = ['AccessKeyId', 'SignatureMethod', 'SignatureVersion', 'Timestamp', 'Signature'];

interface Signed {
  readonly method: string;
  readonly path: string;
  /** The parameters that were signed, in the order of their names, without the signature. */
  readonly query: string;
  readonly accessKey: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

/** @throws {Refusal} if the signature, the key or the time is wrong */
export function accountOfSignature(signed: Signed, exchange: ScriptedExchange): Account {
  const account = exchange.accounts.find(({ apiKey }) => apiKey === signed.accessKey);
  if (account === undefined) throw new Refusal('UNKNOWN_KEY');
  const text = [signed.method, HOST, signed.path, signed.query].join('\n');
  const expected = createHmac('sha256', account.apiSecret).update(text).digest('base64');
  if (signed.signature !== expected) throw new Refusal('BAD_SIGNATURE');
  const at = Date.parse(`${signed.timestamp}Z`);
  if (!(Math.abs(exchange.now() - at) < CLOCK_MS)) throw new Refusal('BAD_TIMESTAMP');
  return account;
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

export const authenticate: Dialect['authenticate'] = ({ method, path, query }, exchange) => {
  const parts = query.split('&').filter((part) => !part.startsWith('Signature='));
  const params = new URLSearchParams(query);
  const isKnownMethod =
    params.get('SignatureMethod') === 'HmacSHA256' && params.get('SignatureVersion') === '2';
  if (!isKnownMethod) throw new Refusal('BAD_SIGNATURE');
  return accountOfSignature(
    {
      method,
      path,
      query: parts.sort(byName).join('&'),
      accessKey: params.get('AccessKeyId') ?? undefined,
      timestamp: params.get('Timestamp') ?? undefined,
      signature: params.get('Signature') ?? undefined,
    },
    exchange,
  );
};
