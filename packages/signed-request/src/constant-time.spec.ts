import fc from 'fast-check';
import { equalInConstantTime } from './constant-time.js';

/** Bytes that count how often each of them is read. */
function watched(bytes: readonly number[]) {
  const reads = bytes.map(() => 0);
  const list = new Proxy(bytes, {
    get(target, key) {
      const index = typeof key === 'string' && /^\d+$/.test(key) ? Number(key) : undefined;
      if (index !== undefined) reads[index] = (reads[index] ?? 0) + 1;
      return Reflect.get(target, key);
    },
  });
  return { list, reads };
}
const byte = fc.integer({ min: 0, max: 255 });

describe('W6: the comparison of secret bytes', () => {
  it('reads every byte of both once, wherever they differ, and says what they say', () => {
    const pair = fc
      .array(byte, { maxLength: 64 })
      .chain((one) =>
        fc.tuple(
          fc.constant(one),
          fc.oneof(fc.constant(one), fc.array(byte, { minLength: one.length, maxLength: one.length })),
        ),
      );
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const [left, right] = [watched(one), watched([...other])];
        expect(equalInConstantTime(left.list, right.list)).toBe(one.every((each, i) => each === other[i]));
        expect([...left.reads, ...right.reads]).toEqual(Array(one.length * 2).fill(1));
      }),
    );
  });

  it('reads as much for a first byte that is wrong as for a last one', () => {
    const right = Array.from({ length: 44 }, (_, index) => index);
    for (let wrong = 0; wrong < right.length; wrong++) {
      const given = watched(right.map((each, index) => (index === wrong ? each ^ 1 : each)));
      expect(equalInConstantTime(given.list, right)).toBe(false);
      expect(given.reads).toEqual(Array(44).fill(1));
    }
  });

  it('finds unequal lengths different, and does not throw', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array({ minLength: 1 }), (one, more) => {
        expect(equalInConstantTime(one, new Uint8Array([...one, ...more]))).toBe(false);
        expect(equalInConstantTime(new Uint8Array([...one, ...more]), one)).toBe(false);
      }),
    );
  });
});
