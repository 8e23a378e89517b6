/** What the error codes mean that decide about an order or an account, read by ccxt's class of each exchange. */
import type { TradingType } from '@trading-automation/contracts';
import { type Call, noDeadline } from '../ccxt/call.js';
import type { TradingTypeDeclaration } from '../ccxt/declaration.js';
import { toExchangeError } from '../ccxt/failures.js';
import { declarationOf } from './index.js';

interface ErrorReader {
  handleErrors(status: number, ...response: readonly unknown[]): unknown;
}

function declared(id: string, type: TradingType): TradingTypeDeclaration {
  const declaration = declarationOf(id)?.tradingTypes[type];
  if (declaration === undefined) throw new Error(`${id} has no ${type}`);
  return declaration;
}

/** Returns what becomes of a new order that the exchange answers with this body and the status 200. */
async function outcomeOf(id: string, type: TradingType, answer: object): Promise<string> {
  const { client, rejectionPatterns } = declared(id, type);
  const ccxt = new (await client.load())({ options: client.options }) as ErrorReader;
  client.prepare?.(ccxt);
  const body = JSON.stringify(answer);
  const response = { status: 200, body };
  const call: Call = { kind: 'write', ...noDeadline(), isReleased: true, isSent: true, response };
  try {
    ccxt.handleErrors(200, '', '/order', 'POST', {}, body, answer, {}, '');
    return 'accepted';
  } catch (error) {
    const { outcome, code } = toExchangeError(error, call, rejectionPatterns);
    return `${outcome}/${code}`;
  }
}

const bybit = (retCode: number) => ({ retCode, retMsg: 'refused', result: {}, retExtInfo: {} });
const coded = (code: number) => ({ code: String(code), msg: 'refused', data: null });
const okx = (sCode: number) => ({
  code: '1',
  msg: 'All operations failed',
  data: [{ clOrdId: '', ordId: '', sCode: String(sCode), sMsg: 'refused' }],
});

describe('an order that the exchange may have accepted', () => {
  it.each<[string, TradingType, number, object]>([
    ['bybit', 'spot', 170_035, bybit(170_035)],
    ['bybit', 'spot', 170_146, bybit(170_146)],
    ['bybit', 'margin', 170_147, bybit(170_147)],
    ['bybit', 'perpetual', 170_146, bybit(170_146)],
    ['kucoin', 'spot', 126_038, coded(126_038)],
    ['kucoin', 'margin', 126_039, coded(126_039)],
    ['kucoin', 'perpetual', 408_000, coded(408_000)],
    ['okx', 'spot', 51_149, okx(51_149)],
    ['okx', 'perpetual', 50_004, coded(50_004)],
  ])('is unknown at %s %s after %d', async (id, type, _code, answer) => {
    expect(await outcomeOf(id, type, answer)).toBe('unknown/no_answer');
  });

  it('is unknown after a limit of orders', async () => {
    expect(await outcomeOf('bybit', 'spot', bybit(170_005))).toBe('unknown/rate_limited');
  });

  it('exists if its client order id was used', async () => {
    expect(await outcomeOf('bybit', 'spot', bybit(12_141))).toBe('rejected/duplicate_client_order_id');
  });
});

describe('an order that arrived too late', () => {
  it.each([50_036, 50_037])('was not executed at okx, and may be sent again, after %d', async (code) => {
    expect(await outcomeOf('okx', 'spot', okx(code))).toBe('retryable/refused');
  });
});

describe('an order in a market that the account may not trade', () => {
  it.each<[string, TradingType, number, object, string]>([
    ['bybit', 'spot', 10_024, bybit(10_024), 'refused'],
    ['bybit', 'perpetual', 10_029, bybit(10_029), 'not_supported'],
    ['bybit', 'spot', 170_209, bybit(170_209), 'refused'],
    ['bybit', 'spot', 170_224, bybit(170_224), 'refused'],
    ['bybit', 'spot', 170_241, bybit(170_241), 'refused'],
    ['kucoin', 'spot', 126_005, coded(126_005), 'refused'],
    ['kucoin', 'spot', 400_500, coded(400_500), 'refused'],
    ['okx', 'spot', 51_155, okx(51_155), 'refused'],
    ['bitget', 'spot', 40_024, coded(40_024), 'refused'],
  ])('is rejected, and not fatal: %s %s %d', async (id, type, _code, answer, code) => {
    expect(await outcomeOf(id, type, answer)).toBe(`rejected/${code}`);
  });

  it.each<[string, number]>([
    ['of a wrong key', 10_003],
    ['of a missing permission', 10_005],
    ['of an account that may not trade at all', 170_201],
  ])('differs from the refusal %s', async (_what, code) => {
    expect(await outcomeOf('bybit', 'spot', bybit(code))).toBe('fatal/credentials_rejected');
  });
});
