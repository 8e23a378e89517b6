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

describe('cursor codec', () => {
  it('gives back the position it was made from', () => {
    fc.assert(
      fc.property(anyBinding, anyPosition, (binding, position) => {
        expect(codec.decode(codec.encode(binding, position), binding)).toEqual(position);
      }),
    );
  });

  it('writes base64url that another decoder reads', () => {
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

  it('refuses a cursor with any byte altered', () => {
    fc.assert(
      fc.property(
        anyBinding,
        anyPosition,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (binding, position, at, flip) => {
          const bytes = Buffer.from(codec.encode(binding, position), 'base64url');
          bytes[at % bytes.length]! ^= flip;
          expect(() => codec.decode(bytes.toString('base64url'), binding)).toThrow(InvalidCursor);
        },
      ),
    );
  });

  it('refuses a cursor with any character replaced, the unused bits of the last one included', () => {
    const binding = { sort: 'created_at', order: 'desc', scope: 's' } as const;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const value of ['a', 'ab', 'abc']) {
      const cursor = codec.encode(binding, { value, id: 'i' });
      for (const character of alphabet.replace(cursor.at(-1)!, '')) {
        expect(() => codec.decode(cursor.slice(0, -1) + character, binding)).toThrow(InvalidCursor);
      }
    }
  });

  it('refuses text that is no cursor', () => {
    const binding = { sort: 'created_at', order: 'desc', scope: 's' } as const;
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => codec.decode(text, binding)).toThrow(InvalidCursor);
      }),
    );
    expect(() => codec.decode('A'.repeat(5000), binding)).toThrow(InvalidCursor);
  });

  it('refuses a cursor of another sort, order, scope or key', () => {
    fc.assert(
      fc.property(anyBinding, anyBinding, anyPosition, (made, read, position) => {
        fc.pre(JSON.stringify(made) !== JSON.stringify(read));
        expect(() => codec.decode(codec.encode(made, position), read)).toThrow(InvalidCursor);
      }),
    );
    const binding = { sort: 'created_at', order: 'desc', scope: 's' } as const;
    const foreign = createCursorCodec((bytes) => createHmac('sha256', 'another key').update(bytes).digest());
    const cursor = foreign.encode(binding, { value: '1', id: 'i' });
    expect(() => codec.decode(cursor, binding)).toThrow(InvalidCursor);
  });

  it('refuses a MAC too short to stop a guess', () => {
    expect(() => createCursorCodec(() => new Uint8Array(8))).toThrow(TypeError);
  });
});

describe('cursor scope', () => {
  it('differs by list, user and filters, and not by the order or absence of filters', () => {
    const scope = cursorScope('trades', 'u1', { status: 'FILLED', symbol: 'BTC/USDT' });
    expect(cursorScope('trades', 'u1', { symbol: 'BTC/USDT', from: undefined, status: 'FILLED' })).toBe(
      scope,
    );
    expect(cursorScope('trades', 'u2', { status: 'FILLED', symbol: 'BTC/USDT' })).not.toBe(scope);
    expect(cursorScope('fills', 'u1', { status: 'FILLED', symbol: 'BTC/USDT' })).not.toBe(scope);
    expect(cursorScope('trades', 'u1', { status: 'FILLED' })).not.toBe(scope);
  });
});
