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

/** ccxt selects Binance's errors by the address. */
const BINANCE: Readonly<Record<TradingType, string>> = {
  spot: 'https://api.binance.com/api/v3/order',
  margin: 'https://api.binance.com/sapi/v1/margin/order',
  perpetual: 'https://fapi.binance.com/fapi/v1/order',
};

/** Returns the error that the product makes of an answer to a new order; undefined if the order was accepted. */
async function errorOf(id: string, type: TradingType, answer: object, status = 200) {
  const { client, rejectionPatterns } = declared(id, type);
  const ccxt = new (await client.load())({ options: client.options }) as ErrorReader;
  client.prepare?.(ccxt);
  const body = JSON.stringify(answer);
  const response = { status, body };
  const call: Call = { kind: 'write', ...noDeadline(), isReleased: true, isSent: true, response };
  try {
    const address = id === 'binance' ? BINANCE[type] : '/order';
    ccxt.handleErrors(status, '', address, 'POST', {}, body, answer, {}, '');
    return undefined;
  } catch (error) {
    return toExchangeError(error, call, rejectionPatterns);
  }
}

/** Returns what becomes of a new order that the exchange answers with this body. */
async function outcomeOf(id: string, type: TradingType, answer: object, status = 200): Promise<string> {
  const error = await errorOf(id, type, answer, status);
  return error === undefined ? 'accepted' : `${error.outcome}/${error.code}`;
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

describe('a refusal of one request', () => {
  const binance = (code: number, msg = 'refused') => ({ code, msg });

  it.each<[TradingType, number, string, RegExp]>([
    ['perpetual', -4400, 'Trading Quantitative Rules violated', /only orders that reduce a position/],
    ['perpetual', -4401, 'Compliance restricted', /only orders that reduce a position/],
    ['perpetual', -4087, 'User can only place reduce only order', /only orders that reduce a position/],
    ['perpetual', -4088, 'User can not place order currently', /no orders/],
    ['perpetual', -4192, 'Cooling-off Period', /no orders/],
    ['perpetual', -4202, 'Intermediate Personal Verification is required', /leverage/],
    ['perpetual', -4203, 'More than 20x leverage', /leverage/],
    ['perpetual', -4205, 'More than 20x leverage', /leverage/],
    ['perpetual', -4206, 'Users in this country', /leverage/],
    ['perpetual', -4403, 'the leverage can only up to', /leverage/],
    ['spot', -2010, 'This symbol is not permitted for this account.', /this pair/],
    ['spot', -2010, 'This symbol is restricted for this account.', /this pair/],
    ['margin', -2010, 'This symbol is restricted for this account.', /this pair/],
    ['margin', -3014, 'Borrow is banned for this account.', /borrow/],
  ])('keeps the account active, and names the rule: %s %d %s', async (type, code, msg, words) => {
    const error = await errorOf('binance', type, binance(code, msg), 400);
    expect(error).toMatchObject({ outcome: 'rejected', code: 'refused' });
    expect(error?.message).toMatch(words);
  });

  it.each<[TradingType, number, string]>([
    ['spot', -2010, 'This account may not place or cancel orders.'],
    ['spot', -2015, 'Invalid API-key, IP, or permissions for action.'],
    ['margin', -3022, "You account's trading is banned."],
    ['perpetual', -2017, 'API Keys are locked on this account.'],
  ])('differs from a refusal of the account: %s %d %s', async (type, code, msg) => {
    expect(await outcomeOf('binance', type, binance(code, msg), 400)).toBe('fatal/credentials_rejected');
  });

  it('keeps an account of okx active whose positions are being liquidated', async () => {
    expect(await outcomeOf('okx', 'perpetual', okx(50_009))).toBe('rejected/refused');
    expect(await outcomeOf('okx', 'perpetual', okx(50_007))).toBe('fatal/credentials_rejected');
  });
});

it.each([
  [-4164, 'worth less than the minimum'],
  [-4016, 'too far from the market price'],
  [-4024, 'too far from the market price'],
  [-2025, 'too many open orders'],
  [-4045, 'too many open orders'],
  [-2027, 'larger than the exchange allows at this leverage'],
])('the rule of the code %i of perpetuals at Binance is named', async (code, words) => {
  expect(await errorOf('binance', 'perpetual', { code, msg: 'x' }, 400)).toMatchObject({
    outcome: 'rejected',
    code: 'rule_violated',
    message: expect.stringContaining(words),
  });
});
