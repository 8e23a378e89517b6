import fc from 'fast-check';
import { equalInConstantTime } from './constant-time.js';

/** Returns `list`, a proxy of the bytes, and `reads`, which counts the reads of each byte. */
function withReadCounts(bytes: readonly number[]) {
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
  it('reads every byte of both lists once, wherever they differ, and returns whether they are equal', () => {
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
        const [left, right] = [withReadCounts(one), withReadCounts([...other])];
        expect(equalInConstantTime(left.list, right.list)).toBe(one.every((each, i) => each === other[i]));
        expect([...left.reads, ...right.reads]).toEqual(Array(one.length * 2).fill(1));
      }),
    );
  });

  it('reads every byte once, whichever byte is wrong', () => {
    const right = Array.from({ length: 44 }, (_, index) => index);
    for (let wrong = 0; wrong < right.length; wrong++) {
      const altered = withReadCounts(right.map((each, index) => (index === wrong ? each ^ 1 : each)));
      expect(equalInConstantTime(altered.list, right)).toBe(false);
      expect(altered.reads).toEqual(Array(44).fill(1));
    }
  });

  it('returns false for different lengths, and does not throw', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array({ minLength: 1 }), (one, more) => {
        expect(equalInConstantTime(one, new Uint8Array([...one, ...more]))).toBe(false);
        expect(equalInConstantTime(new Uint8Array([...one, ...more]), one)).toBe(false);
      }),
    );
  });
});
