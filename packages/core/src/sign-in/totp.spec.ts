import fc from 'fast-check';
import { fromBase32, referenceTotpCode } from './testing/reference-totp.js';
import { describeTotp, generateTotpSecret, stepOfCode } from './totp.js';

/** The SHA-1 vectors of RFC 6238, appendix B, with the last six of their eight digits. */
const SECRET = Buffer.from('12345678901234567890');
const VECTORS: [number, string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];

describe('a time-based code', () => {
  it.each(VECTORS)('at %p seconds since 1970 is %p, as in RFC 6238', (seconds, code) => {
    expect(referenceTotpCode(SECRET, Math.floor(seconds / 30))).toBe(code);
    expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it('is accepted in its own time step, and one step before and after it', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        fc.integer({ min: 1_000, max: 100_000_000 }),
        fc.integer({ min: 0, max: 29_999 }),
        fc.integer({ min: -3, max: 3 }),
        (secret, step, within, offset) => {
          const code = referenceTotpCode(secret, step + offset);
          const acceptedStep = stepOfCode(secret, code, step * 30_000 + within);
          if (Math.abs(offset) <= 1)
            return acceptedStep !== null && referenceTotpCode(secret, acceptedStep) === code;
          // A code of another step may be equal by chance.
          return acceptedStep === null || referenceTotpCode(secret, acceptedStep) === code;
        },
      ),
    );
    const nowStep = 50_000_000;
    for (const offset of [-3, -2, 2, 3]) {
      expect(stepOfCode(SECRET, referenceTotpCode(SECRET, nowStep + offset), nowStep * 30_000)).toBeNull();
    }
  });

  it.each(['', '28708', '2870820', '28708a', '２８７０８２', ' 287082', '-87082', '0x1234'])(
    'is rejected if it is malformed: %j',
    (text) => {
      expect(stepOfCode(SECRET, text, 59_000)).toBeNull();
    },
  );
});

describe('the description for an authenticator app', () => {
  it('is a URI with issuer, account and secret', () => {
    const { uri, secret } = describeTotp(SECRET, { issuer: 'Trading automation', label: 'a:b@example.com' });
    expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    expect(fromBase32(secret)).toEqual(SECRET);
    const url = new URL(uri);
    expect(url.protocol).toBe('otpauth:');
    expect(decodeURIComponent(uri)).toContain('totp/Trading automation:a:b@example.com?');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      issuer: 'Trading automation',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });

  it('has a new secret of 20 random bytes each time', () => {
    const secrets = Array.from({ length: 100 }, () => generateTotpSecret().toString('hex'));
    expect(new Set(secrets).size).toBe(100);
    expect(secrets[0]).toHaveLength(40);
  });
});
