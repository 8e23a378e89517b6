import type { ErrorCode, Trade, TradeCreate } from '@trading-automation/sdk';
import { describe, expect, test } from 'tstyche';

describe('enumerations', () => {
  test('of answers take values that are not known yet, and name those that are', () => {
    expect<Trade['status']>().type.toBeAssignableFrom<'FILLED'>();
    expect<Trade['status']>().type.toBeAssignableFrom<'SOMETHING_NEW'>();
    expect<ErrorCode>().type.toBeAssignableFrom<'something_new'>();
    // A plain text would be assignable just the same; it is not what an editor can offer values of.
    expect<Trade['status']>().type.not.toBe<string>();
    expect<ErrorCode>().type.not.toBe<string>();
  });

  test('of requests take those that are known alone', () => {
    expect<TradeCreate['side']>().type.toBe<'BUY' | 'SELL'>();
    expect<TradeCreate['side']>().type.not.toBeAssignableFrom<string>();
  });
});

describe('records', () => {
  test('say what may be missing', () => {
    expect<Trade['filled_at']>().type.toBe<string | undefined>();
    expect<Trade['symbol']>().type.toBe<string>();
    expect<Trade>().type.not.toHaveProperty('colour');
  });
});
