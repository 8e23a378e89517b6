import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { hashApiKey, issueApiKey, worldOfApiKey } from './api-key.js';

const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 });
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Returns the number that base62 digits encode. */
const numberOf = (digits: string) =>
  [...digits].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n);

/** Computes the CRC-32 bit by bit from its polynomial, independently of the product. */
function crc32BitByBit(text: string): bigint {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return BigInt((crc ^ 0xffffffff) >>> 0);
}

describe('an API key', () => {
  it('contains its world, its secret without loss, and the CRC-32 of both', () => {
    fc.assert(
      fc.property(fc.constantFrom('test' as const, 'live' as const), secrets, (world, secret) => {
        const { key, prefix, lastFour } = issueApiKey(world, secret);
        expect(key).toMatch(/^svc_(test|live)_[0-9A-Za-z]{49}$/);
        expect(prefix).toBe(`svc_${world}_`);
        expect(lastFour).toBe(key.slice(-4));
        expect(numberOf(key.slice(9, 52))).toBe(BigInt(`0x${Buffer.from(secret).toString('hex')}`));
        expect(numberOf(key.slice(52))).toBe(crc32BitByBit(key.slice(0, 52)));
        expect(worldOfApiKey(key)).toBe(world);
      }),
    );
  });

  it('is invalid if one character is altered', () => {
    fc.assert(
      fc.property(secrets, fc.nat(57), fc.constantFrom(...BASE62), (secret, at, character) => {
        const { key } = issueApiKey('test', secret);
        fc.pre(key[at] !== character);
        expect(worldOfApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBeNull();
      }),
    );
  });

  it.each([
    ['an empty string', ''],
    ['only a prefix', 'svc_test_'],
    ['a string with another prefix', `svc_dev_${'0'.repeat(49)}`],
    ['a valid key with a line break after it', `${issueApiKey('test', new Uint8Array(32)).key}\n`],
    ['a valid key with an additional character', `${issueApiKey('test', new Uint8Array(32)).key}0`],
  ])('is not %s', (_case, text) => {
    expect(worldOfApiKey(text)).toBeNull();
  });

  it('is stored as its SHA-256', () => {
    const { key, hash } = issueApiKey('live', new Uint8Array(32));
    expect(hash.toString('hex')).toBe(createHash('sha256').update(key).digest('hex'));
    expect(hashApiKey(key)).toEqual(hash);
  });

  it('is different each time (1,000 keys)', () => {
    expect(new Set(Array.from({ length: 1000 }, () => issueApiKey('test').key)).size).toBe(1000);
  });

  it('is not issued from too few random bytes', () => {
    expect(() => issueApiKey('test', new Uint8Array(31))).toThrow('expected 32 bytes, got 31');
  });
});
