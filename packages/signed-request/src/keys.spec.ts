import { createECDH } from 'node:crypto';
import { generatePrivateKey, isValidPublicKey, publicKeyOf } from './keys.js';

/** The order of the curve. */
const N = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
/** The x of the curve's base point. */
const BASE_X = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

describe('keys', () => {
  it('have the public key that OpenSSL derives', () => {
    for (let round = 0; round < 20; round++) {
      const privateKey = generatePrivateKey();
      const ecdh = createECDH('secp256k1');
      ecdh.setPrivateKey(privateKey);
      expect(publicKeyOf(privateKey)).toBe(ecdh.getPublicKey('hex', 'compressed'));
      expect(isValidPublicKey(publicKeyOf(privateKey))).toBe(true);
    }
  });

  it.each([
    ['0', '00'.repeat(32)],
    ['n', N],
    ['2^256 - 1', 'ff'.repeat(32)],
    ['31 bytes', '01'.repeat(31)],
    ['33 bytes', '01'.repeat(33)],
  ])('cannot be derived from an invalid private key: %s', (_, hex) => {
    expect(() => publicKeyOf(bytes(hex))).toThrow(RangeError);
  });

  it.each([`02${BASE_X}`, `03${BASE_X}`])('are valid if they are on the curve: %s', (key) => {
    expect(isValidPublicKey(key)).toBe(true);
  });

  it.each([
    ['x that is not on the curve', `02${'5'.padStart(64, '0')}`],
    ['x above the field prime', `02${'ff'.repeat(32)}`],
    ['32 bytes', BASE_X],
    ['34 bytes', `02${BASE_X}00`],
    ['prefix 00', `00${BASE_X}`],
    ['prefix 04', `04${BASE_X}`],
    ['hybrid prefix 06', `06${BASE_X}`],
    ['uncompressed', `04${BASE_X}483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8`],
    ['infinity', '00'],
    ['upper-case hex', `02${BASE_X.toUpperCase()}`],
    ['a 0x prefix', `0x02${BASE_X}`],
    ['a trailing newline', `02${BASE_X}\n`],
    ['the empty string', ''],
  ])('are invalid: %s', (_, key) => {
    expect(isValidPublicKey(key)).toBe(false);
  });
});
