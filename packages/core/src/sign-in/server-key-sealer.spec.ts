import { createHash } from 'node:crypto';
import { ServerKeySealer } from './server-key-sealer.js';

const keyOf = (label: string) => createHash('sha256').update(label).digest();
const seal = new ServerKeySealer([keyOf('a')]);
const SECRET = Buffer.from('a secret that nobody may read');

describe('what is sealed under the server key', () => {
  it('opens at its place, and shows nothing of itself', () => {
    const box = seal.seal('row 1', SECRET);
    expect(seal.open('row 1', box)).toEqual(SECRET);
    expect(box.includes('secret')).toBe(false);
    expect(seal.seal('row 1', SECRET)).not.toEqual(box);
  });

  it('opens at no other place', () => {
    expect(seal.open('row 2', seal.seal('row 1', SECRET))).toBeNull();
  });

  it('opens under a replaced key while the old one is given, and never without it', () => {
    const box = seal.seal('row 1', SECRET);
    expect(new ServerKeySealer([keyOf('b'), keyOf('a')]).open('row 1', box)).toEqual(SECRET);
    expect(new ServerKeySealer([keyOf('b')]).open('row 1', box)).toBeNull();
    const later = new ServerKeySealer([keyOf('b'), keyOf('a')]).seal('row 1', SECRET);
    expect(seal.open('row 1', later)).toBeNull();
  });

  it('does not open with any byte changed', () => {
    const box = seal.seal('row 1', SECRET);
    for (let at = 0; at < box.length; at++) {
      const altered = Buffer.from(box);
      altered[at]! ^= 1;
      expect(seal.open('row 1', altered)).toBeNull();
    }
  });
});
