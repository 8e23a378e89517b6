import { decimal, idOf, StoredJson, storedSchema } from '@trading-automation/contracts';
import { z } from 'zod';
import { compileInputConverter, compileOutputConverter } from './value-converters.js';

const money = z.object({ amount: decimal, currency_code: z.string() });
const order = z.object({
  id: idOf('trd'),
  limit_price: decimal.optional(),
  closed_at: z.string().nullable(),
  fees_paid: z.array(money),
  by_asset: z.record(z.string(), decimal),
});

describe('a record', () => {
  const shape = compileOutputConverter(order);
  const record = {
    id: 'trd_1',
    closed_at: null,
    fees_paid: [{ amount: '0.000000000000000001', currency_code: 'BTC' }],
    by_asset: { some_coin: '1' },
  };

  it('has camelCase names at every level, null for absent members, and unchanged maps', () => {
    expect(shape(record)).toEqual({
      id: 'trd_1',
      limitPrice: null,
      closedAt: null,
      feesPaid: [{ amount: '0.000000000000000001', currencyCode: 'BTC' }],
      byAsset: { some_coin: '1' },
    });
  });

  it('includes only members of its schema', () => {
    expect(shape({ ...record, password_hash: 'x' })).not.toHaveProperty('passwordHash');
  });

  it('throws if a member is missing', () => {
    const { id: _id, ...broken } = record;
    expect(() => shape(broken)).toThrow('the response lacks the field id');
  });
});

describe('stored JSON', () => {
  it('keeps every digit: decimals and numbers that a double cannot hold are strings', () => {
    const shape = compileOutputConverter(z.object({ value: storedSchema(z.unknown(), [money]) }));
    const value = StoredJson.of('{"amount":0.10,"n":1,"deep":[{"x":1.0000000000000000001}]}');
    expect(shape({ value })).toEqual({
      value: { amount: '0.10', n: 1, deep: [{ x: '1.0000000000000000001' }] },
    });
  });
});

describe('an input', () => {
  const wire = compileInputConverter(
    z.strictObject({ max_open: decimal.optional(), levels: z.array(money), value: z.unknown() }),
  );

  it('has wire names at every level, except within any JSON', () => {
    const value = { someKey: [{ another_key: 1 }] };
    expect(wire({ maxOpen: '1', levels: [{ amount: '1', currencyCode: 'BTC' }], value })).toEqual({
      max_open: '1',
      levels: [{ amount: '1', currency_code: 'BTC' }],
      value,
    });
  });

  it('is undefined if omitted', () => {
    expect([wire(undefined), wire(null), compileInputConverter(undefined)('x')]).toEqual([
      undefined,
      null,
      'x',
    ]);
  });
});
