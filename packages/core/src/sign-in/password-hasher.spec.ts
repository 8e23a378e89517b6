import { argon2id } from '@noble/hashes/argon2.js';
import { normalisePassword, PasswordHasher } from './password-hasher.js';

const hasher = new PasswordHasher();

describe('a password', () => {
  it.each([
    ['ten characters', 'a'.repeat(10)],
    ['128 characters', 'a'.repeat(128)],
    ['ten characters outside the basic plane', '🔑'.repeat(10)],
  ])('may have a length of %s', (_case, text) => {
    expect(normalisePassword(text)).toBe(text);
  });

  it.each([
    ['no characters', ''],
    ['nine characters', 'a'.repeat(9)],
    ['nine characters outside the basic plane', '🔑'.repeat(9)],
    ['129 characters', 'a'.repeat(129)],
    ['129 characters after normalisation', `${'a'.repeat(127)}\ufb01`],
    ['a hundred thousand characters', '\ufdfa'.repeat(100_000)],
  ])('with %s is rejected', (_case, text) => {
    expect(normalisePassword(text)).toBeNull();
  });

  it('is the same whether a keyboard enters composed or decomposed letters', () => {
    expect(normalisePassword('Schlüssel-ﬁnden'.normalize('NFD'))).toBe('Schlüssel-finden');
  });
});

describe('the hash of a password', () => {
  it('is Argon2id with 19 MiB and two passes, and equals the hash of another implementation', async () => {
    const storedHash = await hasher.hash('correct horse battery');
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

  it('matches only its own password, up to the last character', async () => {
    const password = 'p'.repeat(128);
    const storedHash = await hasher.hash(password);
    expect(await hasher.verify(storedHash, password)).toBe(true);
    expect(await hasher.verify(storedHash, `${'p'.repeat(127)}q`)).toBe(false);
    expect(await hasher.verify(storedHash, 'p'.repeat(127))).toBe(false);
    expect(await hasher.hash(password)).not.toBe(storedHash);
  });

  it('never matches if the hash or the password is null', async () => {
    expect(await hasher.verify(null, 'correct horse battery')).toBe(false);
    expect(await hasher.verify(await hasher.hash(''), null)).toBe(false);
  });
});
