import { SignInUnderTest } from './testing/sign-in-under-test.js';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'staple of the battery';
const ADDRESS = '192.0.2.1';
const UNKNOWN_LINK = { code: 'not_found' };
const WRONG_LOGIN = { code: 'invalid_login' };

let env: SignInUnderTest;
let services: ReturnType<SignInUnderTest['createServices']>;
beforeAll(async () => {
  env = await SignInUnderTest.open();
  services = env.createServices();
});
afterAll(() => env.close());

let emailCount = 0;
const login = (email: string, password: string) => services.passwords.login({ email, password }, ADDRESS);

/** Creates a user with a session, and requests a password reset. */
async function requestReset() {
  const email = `reset${++emailCount}@example.com`;
  const tokens = await env.register(email, PASSWORD);
  await env.core.rows('DELETE FROM sign_in_attempts');
  await services.requests.requestPasswordReset(email, ADDRESS);
  return { email, tokens, code: await env.newestCode(email) };
}

describe('a password reset', () => {
  it('sets the password, ends all sessions, and mails the owner', async () => {
    const { email, tokens, code } = await requestReset();
    expect(await services.links.passwordReset(code)).toEqual({ email });
    await expect(login(email, PASSWORD)).resolves.toMatchObject({ kind: 'tokens' });
    expect(await services.links.resetPassword(code, NEW_PASSWORD)).toEqual({ email });
    await expect(services.sessions.verify(tokens.accessToken)).rejects.toMatchObject({
      code: 'invalid_access_token',
    });
    await expect(services.sessions.refresh(tokens.refreshToken)).rejects.toMatchObject({
      code: 'invalid_access_token',
    });
    await expect(login(email, PASSWORD)).rejects.toMatchObject(WRONG_LOGIN);
    await expect(login(email, NEW_PASSWORD)).resolves.toMatchObject({ kind: 'tokens' });
    const mails = await env.core.rows(
      'SELECT subject FROM mails WHERE recipient = $1 ORDER BY created_at DESC',
      email,
    );
    expect(mails[0]).toEqual({ subject: 'Your password was reset' });
  });

  it('ends the sessions of its own user only', async () => {
    const other = await requestReset();
    const { code } = await requestReset();
    await services.links.resetPassword(code, NEW_PASSWORD);
    await expect(services.sessions.verify(other.tokens.accessToken)).resolves.toBeDefined();
    await expect(login(other.email, PASSWORD)).resolves.toBeDefined();
  });

  it('works once, also for ten concurrent requests, and ends the other links of the user', async () => {
    const { email, code } = await requestReset();
    await services.requests.requestPasswordReset(email, ADDRESS);
    const second = await env.newestCode(email);
    expect(second).not.toBe(code);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => services.links.resetPassword(second, `${NEW_PASSWORD} ${n}`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const link of [code, second]) {
      await expect(services.links.passwordReset(link)).rejects.toMatchObject(UNKNOWN_LINK);
      await expect(services.links.resetPassword(link, NEW_PASSWORD)).rejects.toMatchObject(UNKNOWN_LINK);
    }
  });

  it('is valid for one hour, and until the password is changed', async () => {
    const late = await requestReset();
    const [row] = await env.core.rows(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM sign_in_links
       WHERE email = $1 AND purpose = 'PASSWORD_RESET'`,
      late.email,
    );
    expect(row?.seconds).toBe(3_600);
    await env.core.rows(
      "UPDATE sign_in_links SET expires_at = expires_at - interval '1 hour' WHERE email = $1",
      late.email,
    );
    await expect(services.links.resetPassword(late.code, NEW_PASSWORD)).rejects.toMatchObject(UNKNOWN_LINK);

    const changed = await requestReset();
    const actor = await services.sessions.verify(changed.tokens.accessToken);
    await services.passwords.change(actor, { password: PASSWORD, newPassword: `${PASSWORD} 2` });
    await expect(services.links.resetPassword(changed.code, NEW_PASSWORD)).rejects.toMatchObject(
      UNKNOWN_LINK,
    );
  });

  it('with an invalid password changes nothing, and the link still works', async () => {
    const { email, code } = await requestReset();
    await expect(services.links.resetPassword(code, 'short')).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'password', message: 'A password must have 10 to 128 characters.' }],
    });
    await expect(login(email, PASSWORD)).resolves.toBeDefined();
    await expect(services.links.resetPassword(code, NEW_PASSWORD)).resolves.toEqual({ email });
  });

  it('is not opened by the code of a registration, nor by what is no code', async () => {
    const email = `registering${++emailCount}@example.com`;
    await services.requests.register({ email, password: PASSWORD }, ADDRESS);
    for (const code of [await env.newestCode(email), '', 'x', 'x'.repeat(43)])
      await expect(services.links.resetPassword(code, NEW_PASSWORD)).rejects.toMatchObject(UNKNOWN_LINK);
  });

  it('stores no code and no password in the database', async () => {
    const { code } = await requestReset();
    await env.core.rows(
      'UPDATE mails SET body = NULL, next_at = NULL, sent_at = clock_timestamp() WHERE body IS NOT NULL',
    );
    expect(await env.dump()).not.toContain(code);
    expect(await env.dump()).not.toContain(PASSWORD);
  });
});
