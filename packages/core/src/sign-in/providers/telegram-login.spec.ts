import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { telegramIdentity } from './telegram-login.js';

const TOKEN = `12345:${createHash('sha256').update('bot of the test').digest('base64url')}`;
const NOW = new Date('2026-03-01T12:00:00Z');
const secondsAgo = (seconds: number) => String(NOW.getTime() / 1_000 - seconds);

type Fields = Record<string, string>;

const LOGIN: Fields = {
  id: '4242',
  first_name: 'Zoë',
  username: 'zoe',
  photo_url: 'https://t.me/i/userpic/320/zoe.jpg',
  auth_date: secondsAgo(5),
};

/** Adds the hash with which Telegram signs the fields. */
function signed(fields: Fields, token = TOKEN): Fields {
  const names = Object.keys(fields).sort();
  const text = names.map((name) => `${name}=${fields[name]}`).join('\n');
  const key = createHash('sha256').update(token).digest();
  return { ...fields, hash: createHmac('sha256', key).update(text).digest('hex') };
}

const rejection = expect.objectContaining({ code: 'invalid_login' });
const identify = (fields: Fields) => telegramIdentity(fields, TOKEN, NOW);

describe('the login data of Telegram', () => {
  it('identifies its user; its proof expires a minute after the data', () => {
    const fields = signed(LOGIN);
    expect(identify(fields)).toEqual({
      provider: 'telegram',
      subject: '4242',
      emailVerified: false,
      proof: {
        hash: Buffer.from(String(fields.hash), 'hex'),
        expiresAt: new Date(NOW.getTime() + 655_000),
      },
    });
  });

  it('is accepted with any additional signed fields, in any order', () => {
    const name = fc
      .stringMatching(/^[a-z_]{1,20}$/)
      .filter((text) => !['hash', 'id', 'auth_date'].includes(text));
    const value = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 15 }), (more) => {
        const fields = Object.entries(signed({ ...LOGIN, ...more })).reverse();
        expect(identify(Object.fromEntries(fields)).subject).toBe('4242');
      }),
    );
  });

  it.each([
    ['a changed user', { id: '4243' }],
    ['a changed name', { first_name: 'Zoe' }],
    ['a changed date', { auth_date: secondsAgo(4) }],
    ['an additional field', { last_name: 'Q' }],
  ])('is rejected with %s', (_case, change) => {
    expect(() => identify({ ...signed(LOGIN), ...change })).toThrow(rejection);
  });

  it('is rejected if a signed field is missing', () => {
    for (const name of Object.keys(signed(LOGIN))) {
      const { [name]: _, ...rest } = signed(LOGIN);
      expect(() => identify(rest)).toThrow(rejection);
    }
  });

  it('is rejected if another bot signed it, or if it is unsigned', () => {
    expect(() => identify(signed(LOGIN, `${TOKEN}x`))).toThrow(rejection);
    expect(() => identify({ ...LOGIN, hash: '0'.repeat(64) })).toThrow(rejection);
    expect(() => identify({ ...LOGIN, hash: '' })).toThrow(rejection);
  });

  it.each([
    ['ten minutes old', secondsAgo(600)],
    ['more than a minute ahead', secondsAgo(-61)],
    ['dated with a word', 'soon'],
    ['dated with a fraction of a second', `${secondsAgo(5)}.5`],
  ])('is rejected if it is %s', (_case, authDate) => {
    expect(() => identify(signed({ ...LOGIN, auth_date: authDate }))).toThrow(rejection);
  });

  it('is accepted if it is less than ten minutes old and at most a minute ahead', () => {
    expect(identify(signed({ ...LOGIN, auth_date: secondsAgo(599) })).subject).toBe('4242');
    expect(identify(signed({ ...LOGIN, auth_date: secondsAgo(-60) })).subject).toBe('4242');
  });

  it('is rejected if a value contains a line break, with which a value could imitate another field', () => {
    const honest = signed({ ...LOGIN, first_name: 'Z\nid=1\nlast_name=Q' });
    expect(() => identify(honest)).toThrow(rejection);
    const { id: _, ...rest } = signed({ ...LOGIN, first_name: 'Z', id: '1\nphoto_url=x' });
    expect(() => identify({ ...rest, id: '1\nphoto_url=x' })).toThrow(rejection);
  });

  it('is rejected if the user id is not a number, or starts with 0', () => {
    expect(() => identify(signed({ ...LOGIN, id: 'zoe' }))).toThrow(rejection);
    expect(() => identify(signed({ ...LOGIN, id: '0042' }))).toThrow(rejection);
  });
});
