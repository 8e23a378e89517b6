import { runHousekeeping } from '../platform/index.js';
import { SignInUnderTest } from './testing/sign-in-under-test.js';

const PASSWORD = 'correct horse battery';
const OTHER_PASSWORD = 'incorrect horse battery';
const ADDRESS = '192.0.2.1';

let env: SignInUnderTest;
let services: ReturnType<SignInUnderTest['createServices']>;
beforeAll(async () => {
  env = await SignInUnderTest.open();
  services = env.createServices();
});
afterAll(() => env.close());
// The limits of a network and of a mailbox have tests of their own.
beforeEach(() => env.core.rows('DELETE FROM sign_in_attempts'));

let emailCount = 0;
const newEmail = () => `registered${++emailCount}@example.com`;
const request = (email: string, password = PASSWORD, address = ADDRESS) =>
  services.requests.register({ email, password }, address);
const login = (email: string, password = PASSWORD) => services.passwords.login({ email, password }, ADDRESS);
const mailsTo = (email: string) =>
  env.core.rows('SELECT user_id, subject, body FROM mails WHERE recipient = $1 ORDER BY created_at', email);
const countUsers = async () => (await env.core.row('SELECT count(*)::int AS count FROM users')).count;
const linksOf = (email: string) =>
  env.core.rows('SELECT purpose, password_hash, used_at FROM sign_in_links WHERE email = $1', email);
const WRONG_LOGIN = { code: 'invalid_login' };
const UNKNOWN_LINK = { code: 'not_found' };

/** Adds a login of an earlier release: its address was never verified. */
async function addUnverifiedLogin(email: string): Promise<string> {
  const { userId } = await env.core.actor();
  await env.core.rows(
    "INSERT INTO password_logins (user_id, email, hash) VALUES ($1, $2, 'x')",
    userId,
    email,
  );
  return userId;
}

describe('a registration', () => {
  it('opens no account until the link is opened with its password; then the address is verified', async () => {
    const email = newEmail();
    const before = await countUsers();
    await request(email);
    expect(await countUsers()).toBe(before);
    await expect(login(email)).rejects.toMatchObject(WRONG_LOGIN);
    const [mail, ...more] = await mailsTo(email);
    expect([mail, more]).toMatchObject([{ user_id: null, subject: 'Open your account' }, []]);
    const code = await env.newestCode(email);
    expect(String(mail?.body)).toContain(`https://api.example.com/registration?code=${code}\n`);
    expect(await services.links.registration(code)).toEqual({ email });
    expect(await countUsers()).toBe(before);
    await services.links.openAccount(code, PASSWORD);
    const signedIn = await login(email);
    if (signedIn.kind !== 'tokens') throw new Error('a second factor is required');
    const { userId } = await services.sessions.verify(signedIn.tokens.accessToken);
    expect(
      await env.core.row('SELECT email, email_verified_at, pending_email FROM users WHERE id = $1', userId),
    ).toEqual({ email, email_verified_at: expect.any(Date), pending_email: null });
  });

  it('lapses after 24 hours; housekeeping removes its data, and the address is free', async () => {
    const email = newEmail();
    await request(email);
    const code = await env.newestCode(email);
    await env.core.rows("UPDATE sign_in_links SET expires_at = expires_at - interval '24 hours'");
    await expect(services.links.openAccount(code, PASSWORD)).rejects.toMatchObject(UNKNOWN_LINK);
    await runHousekeeping(env.core.platform);
    expect(await linksOf(email)).toEqual([]);
    await expect(env.register(email, OTHER_PASSWORD)).resolves.toBeDefined();
  });

  it('does not hold its address: another registration can be opened first, and ends the earlier one', async () => {
    const email = newEmail();
    await request(email, OTHER_PASSWORD);
    const strangersCode = await env.newestCode(email);
    await env.register(email, PASSWORD);
    await expect(services.links.openAccount(strangersCode, OTHER_PASSWORD)).rejects.toMatchObject(
      UNKNOWN_LINK,
    );
    expect(await linksOf(email)).toEqual(
      Array.from({ length: 2 }, () => ({
        purpose: 'REGISTRATION',
        password_hash: null,
        used_at: expect.any(Date),
      })),
    );
    await expect(login(email)).resolves.toMatchObject({ kind: 'tokens' });
  });

  it('is opened only with its own password, which has ten attempts', async () => {
    const email = newEmail();
    await request(email);
    const code = await env.newestCode(email);
    const before = await countUsers();
    for (let n = 0; n < 10; n++)
      await expect(services.links.openAccount(code, OTHER_PASSWORD)).rejects.toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'password' }],
      });
    await expect(services.links.openAccount(code, PASSWORD)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await countUsers()).toBe(before);
  });

  it('opens one account for ten concurrent requests', async () => {
    const email = newEmail();
    await request(email);
    const code = await env.newestCode(email);
    const before = Number(await countUsers());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => services.links.openAccount(code, PASSWORD)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(UNKNOWN_LINK);
    expect(await countUsers()).toBe(before + 1);
  });

  it('takes an address from a login that never verified it; the other account stays', async () => {
    const email = newEmail();
    const squatter = await addUnverifiedLogin(email);
    await expect(env.register(email, PASSWORD)).resolves.toBeDefined();
    expect(await env.core.rows('SELECT FROM password_logins WHERE user_id = $1', squatter)).toEqual([]);
    expect(await env.core.rows('SELECT FROM users WHERE id = $1', squatter)).toHaveLength(1);
  });

  it('removes white space around an address, and ignores the case of its domain', async () => {
    await env.register(' Anna.B+x@Example.COM\n', PASSWORD);
    await expect(login('Anna.B+x@eXample.com ')).resolves.toMatchObject({ kind: 'tokens' });
    await expect(login('anna.b+x@example.com')).rejects.toMatchObject(WRONG_LOGIN);
  });

  it.each([
    '',
    'a',
    'a@b',
    'a@b.co, c@d.co',
    'a@b.co\r\nBcc: c@d.co',
    '\u0000@b.co',
    `${'a'.repeat(250)}@b.co`,
  ])('is rejected for the address %j', async (email) => {
    await expect(request(email)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'email' }],
    });
  });

  it.each(['', 'a'.repeat(9), 'a'.repeat(129)])('is rejected with the password %j', async (password) => {
    const email = newEmail();
    await expect(request(email, password)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'password', message: 'A password must have 10 to 128 characters.' }],
    });
    expect(await mailsTo(email)).toEqual([]);
  });

  it('is rejected if registration is closed, and its link opens no account then', async () => {
    const closed = env.createServices({ isRegistrationOpen: false });
    const email = newEmail();
    await expect(closed.requests.register({ email, password: PASSWORD }, ADDRESS)).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await request(email);
    const code = await env.newestCode(email);
    await expect(closed.links.openAccount(code, PASSWORD)).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await expect(services.links.openAccount(code, PASSWORD)).resolves.toEqual({ email });
  });
});

describe('whether an address is known', () => {
  it('is not revealed by a registration: the response is the same, and the owner gets a mail without a link', async () => {
    const email = newEmail();
    await env.register(email, PASSWORD);
    const before = await countUsers();
    const hashesBefore = env.hasher.hashes;
    expect(await request(email, OTHER_PASSWORD)).toEqual(await request(newEmail(), OTHER_PASSWORD));
    expect(env.hasher.hashes - hashesBefore).toBe(2);
    expect(await countUsers()).toBe(before);
    const mail = (await mailsTo(email)).at(-1);
    expect(mail).toMatchObject({ user_id: expect.any(String), subject: 'You already have an account' });
    expect(String(mail?.body)).not.toContain('http');
    await expect(login(email)).resolves.toMatchObject({ kind: 'tokens' });
    await expect(login(email, OTHER_PASSWORD)).rejects.toMatchObject(WRONG_LOGIN);
  });

  it('is not revealed by a password reset, and nothing is mailed to an unknown address', async () => {
    const [known, unknown] = [newEmail(), newEmail()];
    await env.register(known, PASSWORD);
    const responses = [known, unknown].map((email) => services.requests.requestPasswordReset(email, ADDRESS));
    expect(await Promise.all(responses)).toEqual([undefined, undefined]);
    expect((await mailsTo(known)).at(-1)).toMatchObject({ subject: 'Reset your password' });
    expect(await mailsTo(unknown)).toEqual([]);
    expect(await linksOf(unknown)).toMatchObject([{ purpose: 'NONE' }]);
  });

  it('is not revealed by a login that never verified its address', async () => {
    const email = newEmail();
    await addUnverifiedLogin(email);
    await services.requests.requestPasswordReset(email, ADDRESS);
    expect(await mailsTo(email)).toEqual([]);
    await request(email);
    expect(await mailsTo(email)).toMatchObject([{ subject: 'Open your account' }]);
  });
});

describe('mails of sign-in', () => {
  const LIMITED = { code: 'rate_limited' };

  it.each([
    ['a known', true],
    ['an unknown', false],
  ])(
    'reach %s mailbox at most five times an hour, however its address is written',
    async (_what, isKnown) => {
      const name = `often${++emailCount}`;
      if (isKnown) await env.register(`${name}@example.com`, PASSWORD);
      for (let n = isKnown ? 1 : 0; n < 5; n++) await request(`${name}+${n}@example.com`);
      await expect(request(`${name}@example.com`)).rejects.toMatchObject(LIMITED);
      await expect(
        services.requests.requestPasswordReset(`${name.toUpperCase()}@example.com`, ADDRESS),
      ).rejects.toMatchObject(LIMITED);
      await env.core.rows("UPDATE sign_in_links SET created_at = created_at - interval '1 hour'");
      await expect(request(`${name}@example.com`)).resolves.toBeUndefined();
    },
  );

  it('are requested at most 20 times in 15 minutes by one network', async () => {
    for (let n = 0; n < 10; n++) {
      await request(newEmail(), PASSWORD, `2001:db8::${n}`);
      await services.requests.requestPasswordReset(newEmail(), `2001:db8::${n}`);
    }
    await expect(request(newEmail(), PASSWORD, '2001:db8::ffff')).rejects.toMatchObject(LIMITED);
    await expect(services.requests.requestPasswordReset(newEmail(), '2001:db8::ffff')).rejects.toMatchObject(
      LIMITED,
    );
    await expect(request(newEmail(), PASSWORD, '2001:db8:0:1::1')).resolves.toBeUndefined();
  });
});
