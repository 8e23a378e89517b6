import { createHash } from 'node:crypto';
import { generateRecoveryCodes, hashOfRecoveryCode } from './recovery-codes.js';
import { ServerKeySealer } from './server-key-sealer.js';

describe('recovery codes', () => {
  it('are ten distinct codes of 80 random bits', () => {
    const codes = Array.from({ length: 100 }, generateRecoveryCodes).flat();
    expect(codes).toHaveLength(1_000);
    expect(new Set(codes).size).toBe(1_000);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  });

  it('are accepted in any case, with or without hyphens, and with O, I and L for digits', () => {
    const expected = hashOfRecoveryCode('anna', '0123-ABCD-1111-WXYZ');
    for (const text of ['0123ABCD1111WXYZ', 'o123-abcd-iLl1-wxyz', ' 0123 abcd 1111 wxyz ']) {
      expect(hashOfRecoveryCode('anna', text)).toEqual(expected);
    }
    expect(hashOfRecoveryCode('anna', '0123-ABCD-1111-WXY0')).not.toEqual(expected);
    expect(hashOfRecoveryCode('ben', '0123-ABCD-1111-WXYZ')).not.toEqual(expected);
  });
});

describe('a secret that is sealed with the server key', () => {
  const keyOf = (label: string) => createHash('sha256').update(label).digest();
  const sealer = new ServerKeySealer([keyOf('a')]);
  const SECRET = Buffer.from('a secret of the test');

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
    const newBox = new ServerKeySealer([keyOf('b'), keyOf('a')]).seal('row 1', SECRET);
    expect(sealer.open('row 1', newBox)).toBeNull();
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
