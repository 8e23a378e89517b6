import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { createCursorCodec, cursorScope, InvalidCursor, type SortOrder } from './cursor.js';

const key = createHash('sha256').update('cursor test key').digest();
const codec = createCursorCodec((bytes) => createHmac('sha256', key).update(bytes).digest());

const anyText = fc.string({ unit: 'grapheme' });
const anyBinding = fc.record({
  sort: anyText,
  order: fc.constantFrom<SortOrder>('asc', 'desc'),
  scope: anyText,
});
const anyPosition = fc.record({ value: anyText, id: fc.uuid() });

describe('the cursor codec', () => {
  it('decodes the encoded position', () => {
    fc.assert(
      fc.property(anyBinding, anyPosition, (binding, position) => {
        expect(codec.decode(codec.encode(binding, position), binding)).toEqual(position);
      }),
    );
  });

  it('encodes as canonical base64url of JSON that contains the sort, the order and the id', () => {
    fc.assert(
      fc.property(anyBinding, anyPosition, (binding, position) => {
        const cursor = codec.encode(binding, position);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(Buffer.from(cursor, 'base64url').toString('base64url')).toBe(cursor);
        const body = Buffer.from(cursor, 'base64url').subarray(0, -32).toString('utf8');
        expect(JSON.parse(body)).toEqual(expect.arrayContaining([binding.sort, binding.order, position.id]));
      }),
    );
  });

  it('rejects a cursor with any byte changed', () => {
    fc.assert(
      fc.property(
        anyBinding,
        anyPosition,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (binding, position, index, flip) => {
          const bytes = Buffer.from(codec.encode(binding, position), 'base64url');
          bytes[index % bytes.length]! ^= flip;
          expect(() => codec.decode(bytes.toString('base64url'), binding)).toThrow(InvalidCursor);
        },
      ),
    );
  });

  it('rejects a cursor with another last character, even if only unused bits differ', () => {
    const binding = { sort: 'created_at', order: 'desc', scope: 's' } as const;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const value of ['a', 'ab', 'abc']) {
      const cursor = codec.encode(binding, { value, id: 'i' });
      for (const character of alphabet.replace(cursor.at(-1)!, '')) {
        expect(() => codec.decode(cursor.slice(0, -1) + character, binding)).toThrow(InvalidCursor);
      }
    }
  });

  it('rejects any string that is not a cursor', () => {
    const binding = { sort: 'created_at', order: 'desc', scope: 's' } as const;
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => codec.decode(text, binding)).toThrow(InvalidCursor);
      }),
    );
    expect(() => codec.decode('A'.repeat(5000), binding)).toThrow(InvalidCursor);
  });

  it('rejects a cursor of another sort, order, scope or key', () => {
    fc.assert(
      fc.property(anyBinding, anyBinding, anyPosition, (encodedFor, decodedFor, position) => {
        fc.pre(JSON.stringify(encodedFor) !== JSON.stringify(decodedFor));
        expect(() => codec.decode(codec.encode(encodedFor, position), decodedFor)).toThrow(InvalidCursor);
      }),
    );
    const binding = { sort: 'created_at', order: 'desc', scope: 's' } as const;
    const foreign = createCursorCodec((bytes) => createHmac('sha256', 'another key').update(bytes).digest());
    const cursor = foreign.encode(binding, { value: '1', id: 'i' });
    expect(() => codec.decode(cursor, binding)).toThrow(InvalidCursor);
  });

  it('rejects a MAC that is short enough to guess', () => {
    expect(() => createCursorCodec(() => new Uint8Array(8))).toThrow(TypeError);
  });
});

describe('the cursor scope', () => {
  it('depends on list, user and filters, but not on the order of filters or on undefined ones', () => {
    const scope = cursorScope('trades', 'u1', { status: 'FILLED', symbol: 'BTC/USDT' });
    expect(cursorScope('trades', 'u1', { symbol: 'BTC/USDT', from: undefined, status: 'FILLED' })).toBe(
      scope,
    );
    expect(cursorScope('trades', 'u2', { status: 'FILLED', symbol: 'BTC/USDT' })).not.toBe(scope);
    expect(cursorScope('fills', 'u1', { status: 'FILLED', symbol: 'BTC/USDT' })).not.toBe(scope);
    expect(cursorScope('trades', 'u1', { status: 'FILLED' })).not.toBe(scope);
  });
});
