import fc from 'fast-check';
import { z } from 'zod';
import { listQuerySchema } from './list-query.js';

const schema = listQuerySchema({
  sorts: ['created_at', 'symbol'],
  defaultLimit: 50,
  includes: ['revoked'],
  filters: { status: z.string().optional() },
});
const messagesOf = (query: unknown) =>
  schema.safeParse(query).error?.issues.map((issue) => issue.message) ?? [];

describe('list query', () => {
  it('has defaults for all parameters except offset and cursor', () => {
    expect(schema.parse({})).toEqual({ limit: 50, sort: 'created_at', order: 'desc', include: [] });
  });

  it('accepts strings and numbers, and the filters of the list', () => {
    const query = {
      limit: '7',
      offset: '1000000',
      sort: 'symbol',
      order: 'asc',
      include: 'total',
      status: 'X',
    };
    expect(schema.parse(query)).toEqual({ ...query, limit: 7, offset: 1_000_000, include: ['total'] });
    expect(schema.parse({ limit: 7 }).limit).toBe(7);
    expect(schema.parse({ include: 'total,revoked' }).include).toEqual(['total', 'revoked']);
  });

  it('accepts every limit from 1 to 100, and rejects every other limit instead of clamping it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1000, max: 1000 }), (limit) => {
        const result = schema.safeParse({ limit: String(limit) });
        expect(result.success).toBe(limit >= 1 && limit <= 100);
        if (result.success) expect(result.data.limit).toBe(limit);
      }),
    );
  });

  it.each(['0', '101', '-1', '1.5', '1e1', '0x10', '', ' 5', '05', 'ten', 'NaN', '99999999999', true, null])(
    'rejects the limit %p with the allowed range',
    (limit) => {
      expect(messagesOf({ limit })).toEqual(['limit: must be an integer from 1 to 100']);
    },
  );

  it('rejects an offset outside 0 to 1,000,000', () => {
    expect(messagesOf({ offset: '1000001' })).toEqual(['offset: must be an integer from 0 to 1000000']);
    expect(messagesOf({ offset: '-1' })).toEqual(['offset: must be an integer from 0 to 1000000']);
    expect(schema.parse({ offset: '0' }).offset).toBe(0);
  });

  it('rejects cursor and offset together, even an offset of 0', () => {
    const message = 'cursor and offset cannot be combined; send one of them';
    expect(messagesOf({ cursor: 'abc', offset: '0' })).toEqual([message]);
    expect(messagesOf({ cursor: 'abc' })).toEqual([]);
  });

  it('lists the allowed values of an invalid sort, order or include', () => {
    expect(messagesOf({ sort: 'price' })).toEqual(['sort: must be one of created_at, symbol']);
    expect(messagesOf({ order: 'up' })).toEqual(['order: must be one of asc, desc']);
    expect(messagesOf({ include: 'total,x' })).toEqual([
      'include: must be one of total, revoked, or several separated by commas',
    ]);
  });

  it.each(['limit', 'offset', 'cursor', 'sort', 'order', 'include'])('rejects a repeated %s', (name) => {
    expect(messagesOf({ [name]: ['1', '1'] })).toEqual([`${name}: sent more than once; send it once`]);
  });

  it('rejects unknown parameters and names them', () => {
    expect(schema.safeParse({ page: '2' }).error?.issues[0]).toMatchObject({ keys: ['page'] });
  });
});
