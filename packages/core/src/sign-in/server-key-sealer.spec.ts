import { createHash } from 'node:crypto';
import { ServerKeySealer } from './server-key-sealer.js';

const keyOf = (label: string) => createHash('sha256').update(label).digest();
const sealer = new ServerKeySealer([keyOf('a')]);
const SECRET = Buffer.from('a secret of the test');

describe('a secret that is sealed with the server key', () => {
  it('can be opened in its context, and does not reveal the plaintext', () => {
    const box = sealer.seal('row 1', SECRET);
    expect(sealer.open('row 1', box)).toEqual(SECRET);
    expect(box.includes('secret')).toBe(false);
    expect(sealer.seal('row 1', SECRET)).not.toEqual(box);
  });

  it('cannot be opened in another context', () => {
    expect(sealer.open('row 2', sealer.seal('row 1', SECRET))).toBeNull();
  });

  it('can be opened after a key replacement only while the old key is configured', () => {
    const box = sealer.seal('row 1', SECRET);
    expect(new ServerKeySealer([keyOf('b'), keyOf('a')]).open('row 1', box)).toEqual(SECRET);
    expect(new ServerKeySealer([keyOf('b')]).open('row 1', box)).toBeNull();
    const later = new ServerKeySealer([keyOf('b'), keyOf('a')]).seal('row 1', SECRET);
    expect(sealer.open('row 1', later)).toBeNull();
  });

  it('cannot be opened if any byte is changed', () => {
    const box = sealer.seal('row 1', SECRET);
    for (let at = 0; at < box.length; at++) {
      const altered = Buffer.from(box);
      altered[at]! ^= 1;
      expect(sealer.open('row 1', altered)).toBeNull();
    }
  });
});
