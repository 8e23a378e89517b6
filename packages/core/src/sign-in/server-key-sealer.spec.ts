import { createHash } from 'node:crypto';
import { ServerKeySealer } from './server-key-sealer.js';

const keyOf = (label: string) => createHash('sha256').update(label).digest();
const seal = new ServerKeySealer([keyOf('a')]);
const SECRET = Buffer.from('a secret of the test');

describe('a secret that is sealed with the server key', () => {
  it('opens in its context, and reveals nothing', () => {
    const box = seal.seal('row 1', SECRET);
    expect(seal.open('row 1', box)).toEqual(SECRET);
    expect(box.includes('secret')).toBe(false);
    expect(seal.seal('row 1', SECRET)).not.toEqual(box);
  });

  it('opens in no other context', () => {
    expect(seal.open('row 2', seal.seal('row 1', SECRET))).toBeNull();
  });

  it('opens after a key replacement only while the old key is configured', () => {
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
