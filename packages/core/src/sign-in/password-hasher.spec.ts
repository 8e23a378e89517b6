import { argon2id } from '@noble/hashes/argon2.js';
import { PasswordHasher, readPassword } from './password-hasher.js';

const hashes = new PasswordHasher();

describe('a password', () => {
  it.each([
    ['ten characters', 'a'.repeat(10)],
    ['128 characters', 'a'.repeat(128)],
    ['ten characters outside the basic plane', '🔑'.repeat(10)],
  ])('may have %s', (_case, text) => {
    expect(readPassword(text)).toBe(text);
  });

  it.each([
    ['no character', ''],
    ['nine characters', 'a'.repeat(9)],
    ['nine characters outside the basic plane', '🔑'.repeat(9)],
    ['129 characters', 'a'.repeat(129)],
    ['129 characters once its form is changed', `${'a'.repeat(127)}\ufb01`],
    ['a hundred thousand characters', '\ufdfa'.repeat(100_000)],
  ])('with %s is rejected', (_case, text) => {
    expect(readPassword(text)).toBeNull();
  });

  it('is the same from a keyboard that composes letters differently', () => {
    expect(readPassword('Schlüssel-ﬁnden'.normalize('NFD'))).toBe('Schlüssel-finden');
  });
});

describe('its hash', () => {
  it('is Argon2id with 19 MiB and two passes, as another implementation computes it', async () => {
    const storedHash = await hashes.hash('correct horse battery');
    const [, algorithm, version, cost, salt = '', digest = ''] = storedHash.split('$');
    expect([algorithm, version, cost]).toEqual(['argon2id', 'v=19', 'm=19456,t=2,p=1']);
    const computed = argon2id('correct horse battery', Buffer.from(salt, 'base64'), {
      m: 19_456,
      t: 2,
      p: 1,
      dkLen: 32,
    });
    expect(Buffer.from(salt, 'base64')).toHaveLength(16);
    expect(Buffer.from(digest, 'base64')).toEqual(Buffer.from(computed));
  });

  it('matches one password only, to its last character', async () => {
    const password = 'p'.repeat(128);
    const storedHash = await hashes.hash(password);
    expect(await hashes.verify(storedHash, password)).toBe(true);
    expect(await hashes.verify(storedHash, `${'p'.repeat(127)}q`)).toBe(false);
    expect(await hashes.verify(storedHash, 'p'.repeat(127))).toBe(false);
    expect(await hashes.hash(password)).not.toBe(storedHash);
  });

  it('never matches without a hash or without a password', async () => {
    expect(await hashes.verify(null, 'correct horse battery')).toBe(false);
    expect(await hashes.verify(await hashes.hash(''), null)).toBe(false);
  });
});
