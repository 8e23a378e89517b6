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
  const toGraphql = compileOutputConverter(order);
  const record = {
    id: 'trd_1',
    closed_at: null,
    fees_paid: [{ amount: '0.000000000000000001', currency_code: 'BTC' }],
    by_asset: { some_coin: '1' },
  };

  it('has camelCase names at every level, null for absent members, and unchanged maps', () => {
    expect(toGraphql(record)).toEqual({
      id: 'trd_1',
      limitPrice: null,
      closedAt: null,
      feesPaid: [{ amount: '0.000000000000000001', currencyCode: 'BTC' }],
      byAsset: { some_coin: '1' },
    });
  });

  it('includes only members of its schema', () => {
    expect(toGraphql({ ...record, password_hash: 'x' })).not.toHaveProperty('passwordHash');
  });

  it('is rejected if a required member is missing', () => {
    const { id: _id, ...broken } = record;
    expect(() => toGraphql(broken)).toThrow('the response lacks the field id');
  });
});

describe('a value that an enum lacks', () => {
  const side = z.enum(['BUY', 'SELL']);

  it('is null where the field may be null, because a later release may have written it', () => {
    const toGraphql = compileOutputConverter(
      z.object({ orders: z.array(z.object({ side: side.optional(), other_side: side.nullable() })) }),
    );
    const orders = [
      { side: 'SHORT', other_side: 'SHORT' },
      { side: 'SELL', other_side: 'BUY' },
      { other_side: null },
    ];
    expect(toGraphql({ orders })).toEqual({
      orders: [
        { side: null, otherSide: null },
        { side: 'SELL', otherSide: 'BUY' },
        { side: null, otherSide: null },
      ],
    });
  });

  it('is kept where the field is required, so that GraphQL reports it', () => {
    expect(compileOutputConverter(z.object({ side }))({ side: 'SHORT' })).toEqual({ side: 'SHORT' });
  });
});

describe('stored JSON', () => {
  it('keeps every digit: decimals and numbers that a double cannot hold are strings', () => {
    const toGraphql = compileOutputConverter(z.object({ value: storedSchema(z.unknown(), [money]) }));
    const value = StoredJson.of('{"amount":0.10,"n":1,"deep":[{"x":1.0000000000000000001}]}');
    expect(toGraphql({ value })).toEqual({
      value: { amount: '0.10', n: 1, deep: [{ x: '1.0000000000000000001' }] },
    });
  });
});

describe('an input', () => {
  const toWire = compileInputConverter(
    z.strictObject({ max_open: decimal.optional(), levels: z.array(money), value: z.unknown() }),
  );

  it('has wire names at every level, but leaves free-form JSON unchanged', () => {
    const value = { someKey: [{ another_key: 1 }] };
    expect(toWire({ maxOpen: '1', levels: [{ amount: '1', currencyCode: 'BTC' }], value })).toEqual({
      max_open: '1',
      levels: [{ amount: '1', currency_code: 'BTC' }],
      value,
    });
  });

  it('is unchanged if it is omitted or null, or if the operation has no input', () => {
    expect([toWire(undefined), toWire(null), compileInputConverter(undefined)('x')]).toEqual([
      undefined,
      null,
      'x',
    ]);
  });
});
