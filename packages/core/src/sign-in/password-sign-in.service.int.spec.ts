import { inTransaction } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import type { IssuedTokens } from './sessions.service.js';
import type { SignInResult } from './sign-in.service.js';
import { referenceTotpCode } from './testing/reference-totp.js';
import { SignInUnderTest } from './testing/sign-in-under-test.js';

const PASSWORD = 'correct horse battery';
const WRONG = 'incorrect horse battery';
const LOGIN_REJECTED = { code: 'invalid_login', message: 'E-mail or password is wrong.', details: [] };

let env: SignInUnderTest;
let services: ReturnType<SignInUnderTest['createServices']>;
beforeAll(async () => {
  env = await SignInUnderTest.open();
  services = env.createServices();
});
afterAll(() => env.close());

let emailCount = 0;
const newEmail = () => `user${++emailCount}@example.com`;
const register = (email: string, password = PASSWORD) => env.register(email, password);
const login = (email: string, password = PASSWORD, address = '192.0.2.1') =>
  services.passwords.login({ email, password }, address);
const actorOf = (accessToken: string) => services.sessions.verify(accessToken);

async function userOf(signedIn: SignInResult): Promise<string> {
  if (signedIn.kind !== 'tokens') throw new Error('a second factor is required');
  return (await actorOf(signedIn.tokens.accessToken)).userId;
}
async function registerUser(email = newEmail()): Promise<Actor> {
  const { accessToken } = await register(email);
  return actorOf(accessToken);
}
/** Enables a second factor and starts a login that waits for it; the returned function completes the login. */
async function startPendingLogin({ userId, ...actor }: Actor): Promise<() => Promise<IssuedTokens>> {
  const { platform, secondFactor } = services;
  await secondFactor.generate({ userId, ...actor });
  const [row] = await env.core.rows('SELECT secret_sealed FROM totp_factors WHERE user_id = $1', userId);
  const secret = services.sealer.open(`second factor of ${userId}`, row?.secret_sealed as Buffer)!;
  const step = Math.floor(env.nowMs / 30_000);
  await secondFactor.enable({ userId, ...actor }, referenceTotpCode(secret, step));
  const { ticket } = await inTransaction(platform.database, (tx) =>
    secondFactor.issueTicket(tx, userId, 'password'),
  );
  return () => secondFactor.verify(ticket, referenceTotpCode(secret, step + 1));
}
describe('logging in', () => {
  it('opens a new session each time', async () => {
    const email = newEmail();
    const actor = await registerUser(email);
    const [first, second] = [await login(email), await login(email)];
    if (first.kind !== 'tokens' || second.kind !== 'tokens') throw new Error('a second factor is required');
    const sessions = [
      actor,
      await actorOf(first.tokens.accessToken),
      await actorOf(second.tokens.accessToken),
    ];
    expect(new Set(sessions.map(({ userId }) => userId)).size).toBe(1);
    expect(new Set(sessions.map(({ credential }) => credential.id)).size).toBe(3);
  });

  it('accepts the password in another Unicode form, and no other password', async () => {
    const email = newEmail();
    await register(email, 'Schlüssel-ﬁnden');
    await expect(login(email, 'Schlüssel-finden'.normalize('NFD'))).resolves.toMatchObject({
      kind: 'tokens',
    });
    await expect(login(email, 'Schlussel-finden')).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it.each([
    ['a wrong password', true, WRONG],
    ['a password below the minimum length', true, 'a'],
    ['a password above the maximum length', true, 'a'.repeat(2_000)],
    ['an unknown address', false, PASSWORD],
    ['an unknown address and an empty password', false, ''],
  ])('with %s fails with the same error after one hash computation', async (_case, isKnown, password) => {
    const email = newEmail();
    if (isKnown) await register(email);
    const before = env.hasher.comparisons;
    await expect(login(email, password)).rejects.toMatchObject(LOGIN_REJECTED);
    expect(env.hasher.comparisons - before).toBe(1);
  });

  it.each(['', 'no address', '\u0000', '🙂', 'x'.repeat(300)])(
    'with %j as the address fails with the same error after one hash computation',
    async (email) => {
      const before = env.hasher.comparisons;
      await expect(login(email)).rejects.toMatchObject(LOGIN_REJECTED);
      expect(env.hasher.comparisons - before).toBe(1);
    },
  );

  it('opens no session if the password is changed while it is being checked', async () => {
    const email = newEmail();
    const { userId } = await registerUser(email);
    const replacePassword = "UPDATE password_logins SET hash = 'another' WHERE user_id = $1";
    const lockAndReplace = `WITH u AS (SELECT id FROM users WHERE id = $1 FOR UPDATE) ${replacePassword} AND user_id IN (SELECT id FROM u)`;
    await expect(env.whileLocked(lockAndReplace, [userId], () => login(email))).rejects.toMatchObject(
      LOGIN_REJECTED,
    );
  });
});

describe('guessing a password', () => {
  const failLogins = async (email: string, times: number) => {
    for (let n = 0; n < times; n++) await expect(login(email, WRONG)).rejects.toMatchObject(LOGIN_REJECTED);
  };
  const RATE_LIMITED = { code: 'rate_limited' };
  const advanceMinutes = (minutes: number) =>
    env.core.rows("UPDATE sign_in_attempts SET expires_at = expires_at - $1 * interval '1 minute'", minutes);

  it.each([
    ['a known', true],
    ['an unknown', false],
  ])(
    'of %s address is rejected after ten wrong attempts, even with the right password',
    async (_case, isKnown) => {
      const email = newEmail();
      if (isKnown) await register(email);
      await failLogins(email, 10);
      const comparisonsBefore = env.hasher.comparisons;
      for (const password of [WRONG, PASSWORD]) {
        const rejection = await login(email, password).catch((error) => error);
        expect(rejection).toMatchObject({
          ...RATE_LIMITED,
          message: 'At most 10 attempts are allowed in 15 minutes. Wait for Retry-After.',
          details: [],
        });
        expect(rejection.retryAfterSeconds).toBeGreaterThan(840);
        expect(rejection.retryAfterSeconds).toBeLessThanOrEqual(900);
      }
      expect(env.hasher.comparisons).toBe(comparisonsBefore);
      await expect(login(newEmail(), WRONG)).rejects.toMatchObject(LOGIN_REJECTED);
    },
  );

  it('is limited to ten attempts for all notations of the address together', async () => {
    for (let n = 0; n < 10; n++) {
      await expect(login(n % 2 ? 'same@EXAMPLE.com' : ' same@example.com', WRONG)).rejects.toMatchObject(
        LOGIN_REJECTED,
      );
    }
    await expect(login('same@Example.com', WRONG)).rejects.toMatchObject(RATE_LIMITED);
  });

  it('with fifty concurrent attempts checks only ten passwords', async () => {
    const email = newEmail();
    await register(email);
    const comparisonsBefore = env.hasher.comparisons;
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => login(email, WRONG)));
    expect(env.hasher.comparisons - comparisonsBefore).toBe(10);
    const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'none'));
    expect(codes.filter((code) => code === 'invalid_login')).toHaveLength(10);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(40);
  });

  it('is possible again after fifteen minutes, even if attempts continue in the meantime', async () => {
    const email = newEmail();
    await register(email);
    await failLogins(email, 10);
    for (let n = 0; n < 5; n++) await expect(login(email, WRONG)).rejects.toMatchObject(RATE_LIMITED);
    // The greatest value of the column, which a further attempt must not overflow.
    await env.core.rows('UPDATE sign_in_attempts SET attempts = 2147483647 WHERE attempts > 10');
    await expect(login(email, WRONG)).rejects.toMatchObject(RATE_LIMITED);
    await advanceMinutes(14);
    await expect(login(email)).rejects.toMatchObject(RATE_LIMITED);
    await advanceMinutes(1);
    await failLogins(email, 10);
    await expect(login(email)).rejects.toMatchObject(RATE_LIMITED);
  });

  it('stays possible for the owner while strangers in one other network guess', async () => {
    const email = newEmail();
    await register(email);
    for (let n = 0; n < 10; n++)
      await expect(login(email, WRONG, '198.51.100.7')).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(login(email, PASSWORD, '198.51.100.7')).rejects.toMatchObject(RATE_LIMITED);
    await expect(login(email)).resolves.toMatchObject({ kind: 'tokens' });
  });

  it('counts an IPv6 network of 64 bits as one', async () => {
    const email = newEmail();
    for (let n = 0; n < 10; n++)
      await expect(login(email, WRONG, `2001:db8::${n}`)).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(login(email, WRONG, '2001:db8::ffff')).rejects.toMatchObject(RATE_LIMITED);
    await expect(login(email, WRONG, '2001:db8:0:1::1')).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('is limited to 100 guesses from all networks, except where the owner signed in before', async () => {
    const email = newEmail();
    await register(email);
    // The sign-in of `register` counts as well.
    await env.core.rows('DELETE FROM sign_in_attempts');
    await expect(login(email, PASSWORD, '192.0.2.9')).resolves.toMatchObject({ kind: 'tokens' });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 120 }, (_, n) => login(email, WRONG, `203.0.113.${n}`)),
    );
    const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'none'));
    // The owner's first sign-in from its network was the first of the 100.
    expect(codes.filter((code) => code === 'invalid_login')).toHaveLength(99);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(21);
    await expect(login(email, PASSWORD, '203.0.113.200')).rejects.toMatchObject(RATE_LIMITED);
    await expect(login(email, PASSWORD, '192.0.2.9')).resolves.toMatchObject({ kind: 'tokens' });
  });

  it('is limited anew after a login with the right password', async () => {
    const email = newEmail();
    await register(email);
    await failLogins(email, 9);
    await expect(login(email)).resolves.toMatchObject({ kind: 'tokens' });
    await failLogins(email, 9);
    await expect(login(email)).resolves.toMatchObject({ kind: 'tokens' });
  });
});

describe('changing the password', () => {
  const change = (actor: Actor, password = PASSWORD, newPassword = WRONG) =>
    services.passwords.change(actor, { password, newPassword });

  it("ends every session, including the caller's; afterwards only the new password is valid", async () => {
    const email = newEmail();
    const actor = await registerUser(email);
    const before = await login(email);
    await change(actor);
    await expect(userOf(before)).rejects.toMatchObject({ code: 'invalid_access_token' });
    await expect(login(email)).rejects.toMatchObject(LOGIN_REJECTED);
    expect(await userOf(await login(email, WRONG))).toBe(actor.userId);
    await expect(change(actor, WRONG, PASSWORD)).rejects.toMatchObject({ code: 'invalid_access_token' });
  });

  it.each(['a login', 'a ticket'])('ends a session that is opened concurrently by %s', async (method) => {
    const email = newEmail();
    const actor = await registerUser(email);
    await login(email);
    const openSession = method === 'a login' ? () => login(email) : await startPendingLogin(actor);
    const passwordChange = { password: PASSWORD, newPassword: WRONG };
    // Opening a session must read the signing key, so the table lock blocks it just before it completes.
    const openAndChange = async () => {
      const opening = openSession();
      await env.untilBlocked(1);
      return Promise.all([opening, services.passwords.change(actor, passwordChange)]);
    };
    const [opened] = await env.whileLocked('LOCK TABLE token_keys', [], openAndChange, 2);
    const tokens = 'kind' in opened ? opened.kind === 'tokens' && opened.tokens : opened;
    if (tokens === false) throw new Error('a second factor is required');
    await expect(actorOf(tokens.accessToken)).rejects.toMatchObject({ code: 'invalid_access_token' });
  });

  it('ends a login that is waiting for its second factor', async () => {
    const email = newEmail();
    const actor = await registerUser(email);
    const verify = await startPendingLogin(actor);
    await change(actor);
    await expect(verify()).rejects.toMatchObject({ code: 'invalid_login' });
  });

  it('requires the current password; after ten wrong ones the right one is refused, but not a login', async () => {
    const email = newEmail();
    const actor = await registerUser(email);
    for (let n = 0; n < 10; n++) {
      await expect(change(actor, WRONG)).rejects.toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'password' }],
      });
    }
    await expect(change(actor)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(login(email)).resolves.toMatchObject({ kind: 'tokens' });
  });

  it('requires a valid new password, an account that has a password, and ADMIN', async () => {
    const actor = await registerUser();
    await expect(change(actor, PASSWORD, 'short')).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'new_password' }],
    });
    await expect(change(await env.createActor())).rejects.toMatchObject({ code: 'invalid_state' });
    const actorWithoutAdmin = {
      ...actor,
      credential: { ...actor.credential, permissions: ['TRADE'] as const },
    };
    await expect(change(actorWithoutAdmin)).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
