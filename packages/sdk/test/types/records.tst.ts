import type { ErrorCode, Trade, TradeCreate } from '@trading-automation/sdk';
import { describe, expect, test } from 'tstyche';

describe('enumerations', () => {
  test('of responses accept unknown values and list the known ones', () => {
    expect<Trade['status']>().type.toBeAssignableFrom<'FILLED'>();
    expect<Trade['status']>().type.toBeAssignableFrom<'SOMETHING_NEW'>();
    expect<ErrorCode>().type.toBeAssignableFrom<'something_new'>();
    // A plain string type would also be assignable, but an editor could not suggest values.
    expect<Trade['status']>().type.not.toBe<string>();
    expect<ErrorCode>().type.not.toBe<string>();
  });

  test('of requests accept only known values', () => {
    expect<TradeCreate['side']>().type.toBe<'BUY' | 'SELL'>();
    expect<TradeCreate['side']>().type.not.toBeAssignableFrom<string>();
  });
});

describe('records', () => {
  test('mark fields that may be missing as optional', () => {
    expect<Trade['filled_at']>().type.toBe<string | undefined>();
    expect<Trade['symbol']>().type.toBe<string>();
    expect<Trade>().type.not.toHaveProperty('colour');
  });
});
