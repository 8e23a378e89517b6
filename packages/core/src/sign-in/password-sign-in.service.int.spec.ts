import { inTransaction } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import type { IssuedTokens } from './sessions.service.js';
import type { SignInResult } from './sign-in.service.js';
import { referenceTotpCode } from './testing/reference-totp.js';
import { SignInUnderTest } from './testing/sign-in-under-test.js';

const PASSWORD = 'correct horse battery';
const WRONG = 'incorrect horse battery';
const REFUSED = { code: 'invalid_login', message: 'E-mail or password is wrong.', details: [] };

let under: SignInUnderTest;
let process: ReturnType<SignInUnderTest['createServices']>;
beforeAll(async () => {
  under = await SignInUnderTest.open();
  process = under.createServices();
});
afterAll(() => under.close());

let count = 0;
const newEmail = () => `user${++count}@example.com`;
const register = (email: string, password = PASSWORD) => process.passwords.register({ email, password });
const login = (email: string, password = PASSWORD) => process.passwords.login({ email, password });
const actorOf = (accessToken: string) => process.sessions.verify(accessToken);

async function userOf(signedIn: SignInResult): Promise<string> {
  if (signedIn.kind !== 'tokens') throw new Error('a second factor is asked for');
  return (await actorOf(signedIn.tokens.accessToken)).userId;
}
async function registered(email = newEmail()): Promise<Actor> {
  const { accessToken } = await register(email);
  return actorOf(accessToken);
}
/** Enables a second factor and logs in up to its ticket; the returned function completes the login. */
async function ticketHolder({ userId, ...actor }: Actor): Promise<() => Promise<IssuedTokens>> {
  const { platform, secondFactor } = process;
  await secondFactor.generate({ userId, ...actor });
  const [secret] = await under.core.rows('SELECT secret_sealed FROM totp_factors WHERE user_id = $1', userId);
  const bytes = process.seal.open(`second factor of ${userId}`, secret?.secret_sealed as Buffer)!;
  const step = Math.floor(under.nowMs / 30_000);
  await secondFactor.enable({ userId, ...actor }, referenceTotpCode(bytes, step));
  const { ticket } = await inTransaction(platform.database, (tx) =>
    secondFactor.issueTicket(tx, userId, 'password'),
  );
  return () => secondFactor.verify(ticket, referenceTotpCode(bytes, step + 1));
}
const mailsTo = (email: string) =>
  under.core.rows('SELECT user_id, subject, body FROM mails WHERE recipient = $1', email);

describe('registering', () => {
  it('opens an account with a session; its address is pending until the link is opened', async () => {
    const email = newEmail();
    const { userId } = await registered(email);
    const user = () => under.core.row('SELECT email, pending_email FROM users WHERE id = $1', userId);
    expect(await user()).toEqual({ email: null, pending_email: email });
    const [mail, ...more] = await mailsTo(email);
    expect(mail).toMatchObject({ user_id: userId, subject: 'Verify your e-mail address' });
    expect(more).toEqual([]);
    const [, code = ''] = /code=([\w-]{43})/.exec(String(mail?.body)) ?? [];
    await process.emails.verify(code);
    expect(await user()).toEqual({ email, pending_email: null });
    expect(await userOf(await login(email))).toBe(userId);
  });

  it('a known address is rejected, and leaves no second account', async () => {
    const email = newEmail();
    const { userId } = await registered(email);
    const users = () => under.core.row('SELECT count(*)::int AS count FROM users');
    const before = await users();
    await expect(register(email, WRONG)).rejects.toMatchObject({
      code: 'already_exists',
      details: [{ field: 'email', code: 'already_exists' }],
    });
    expect(await users()).toEqual(before);
    expect(await mailsTo(email)).toHaveLength(1);
    expect(await userOf(await login(email))).toBe(userId);
  });

  it('one address ten times concurrently opens one account', async () => {
    const email = newEmail();
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => register(email)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'already_exists' });
    }
    expect(await mailsTo(email)).toHaveLength(1);
  });

  it('trims an address, and accepts its domain in any case', async () => {
    const { userId } = await registered(' Anna.B+x@Example.COM\n');
    expect(await userOf(await login('Anna.B+x@eXample.com '))).toBe(userId);
    await expect(register('Anna.B+x@example.com')).rejects.toMatchObject({ code: 'already_exists' });
    await expect(login('anna.b+x@example.com')).rejects.toMatchObject(REFUSED);
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
    await expect(register(email)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'email' }],
    });
  });

  it.each(['', 'a'.repeat(9), 'a'.repeat(129)])('is rejected with the password %j', async (password) => {
    const email = newEmail();
    await expect(register(email, password)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'password', message: 'A password must have 10 to 128 characters.' }],
    });
    await expect(register(email)).resolves.toBeDefined();
  });

  it('is rejected if registration is closed', async () => {
    const closed = under.createServices({ openRegistration: false });
    await expect(closed.passwords.register({ email: newEmail(), password: PASSWORD })).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

describe('logging in', () => {
  it('opens a new session each time', async () => {
    const email = newEmail();
    const actor = await registered(email);
    const [first, second] = [await login(email), await login(email)];
    if (first.kind !== 'tokens' || second.kind !== 'tokens') throw new Error('a second factor is asked for');
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
    await expect(login(email, 'Schlussel-finden')).rejects.toMatchObject(REFUSED);
  });

  it.each([
    ['a wrong password', true, WRONG],
    ['a password that is too short to be one', true, 'a'],
    ['a password that is too long to be one', true, 'a'.repeat(2_000)],
    ['an unknown address', false, PASSWORD],
    ['an unknown address and no password', false, ''],
  ])('with %s gets the same error after one hash computation', async (_case, isKnown, password) => {
    const email = newEmail();
    if (isKnown) await register(email);
    const before = under.hashes.compared;
    await expect(login(email, password)).rejects.toMatchObject(REFUSED);
    expect(under.hashes.compared - before).toBe(1);
  });

  it.each(['', 'no address', '\u0000', '🙂', 'x'.repeat(300)])(
    'with %j for an address gets the same answer for the same work',
    async (email) => {
      const before = under.hashes.compared;
      await expect(login(email)).rejects.toMatchObject(REFUSED);
      expect(under.hashes.compared - before).toBe(1);
    },
  );

  it('with a password that was replaced during the check opens no session', async () => {
    const email = newEmail();
    const { userId } = await registered(email);
    const replacing = "UPDATE password_logins SET hash = 'another' WHERE user_id = $1";
    const holding = `WITH u AS (SELECT id FROM users WHERE id = $1 FOR UPDATE) ${replacing} AND user_id IN (SELECT id FROM u)`;
    await expect(under.whileLocked(holding, [userId], () => login(email))).rejects.toMatchObject(REFUSED);
  });
});

describe('guessing', () => {
  const tries = async (email: string, most: number) => {
    for (let n = 0; n < most; n++) await expect(login(email, WRONG)).rejects.toMatchObject(REFUSED);
  };
  const TOO_MANY = { code: 'rate_limited' };
  const minutesPass = (minutes: number) =>
    under.core.rows(
      "UPDATE sign_in_attempts SET expires_at = expires_at - $1 * interval '1 minute'",
      minutes,
    );

  it.each([
    ['a known', true],
    ['an unknown', false],
  ])(
    'at the password of %s address is refused after ten tries, the right one too',
    async (_case, isKnown) => {
      const email = newEmail();
      if (isKnown) await register(email);
      await tries(email, 10);
      const compared = under.hashes.compared;
      for (const password of [WRONG, PASSWORD]) {
        const refused = await login(email, password).catch((error) => error);
        expect(refused).toMatchObject({
          ...TOO_MANY,
          message: 'At most 10 attempts are allowed in 15 minutes. Wait for Retry-After.',
          details: [],
        });
        expect(refused.retryAfterSeconds).toBeGreaterThan(840);
        expect(refused.retryAfterSeconds).toBeLessThanOrEqual(900);
      }
      expect(under.hashes.compared).toBe(compared);
      await expect(login(newEmail(), WRONG)).rejects.toMatchObject(REFUSED);
    },
  );

  it('is limited to ten attempts, whatever the spelling of the address', async () => {
    for (let n = 0; n < 10; n++) {
      await expect(login(n % 2 ? 'same@EXAMPLE.com' : ' same@example.com', WRONG)).rejects.toMatchObject(
        REFUSED,
      );
    }
    await expect(login('same@Example.com', WRONG)).rejects.toMatchObject(TOO_MANY);
  });

  it('fifty times concurrently is ten guesses', async () => {
    const email = newEmail();
    await register(email);
    const compared = under.hashes.compared;
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => login(email, WRONG)));
    expect(under.hashes.compared - compared).toBe(10);
    const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'none'));
    expect(codes.filter((code) => code === 'invalid_login')).toHaveLength(10);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(40);
  });

  it('is possible again after fifteen minutes, not earlier, however often it continues', async () => {
    const email = newEmail();
    await register(email);
    await tries(email, 10);
    for (let n = 0; n < 5; n++) await expect(login(email, WRONG)).rejects.toMatchObject(TOO_MANY);
    await under.core.rows('UPDATE sign_in_attempts SET attempts = 2147483647 WHERE attempts > 10');
    await expect(login(email, WRONG)).rejects.toMatchObject(TOO_MANY);
    await minutesPass(14);
    await expect(login(email)).rejects.toMatchObject(TOO_MANY);
    await minutesPass(1);
    await tries(email, 10);
    await expect(login(email)).rejects.toMatchObject(TOO_MANY);
  });

  it('is reset by the right password', async () => {
    const email = newEmail();
    await register(email);
    await tries(email, 9);
    await expect(login(email)).resolves.toMatchObject({ kind: 'tokens' });
    await tries(email, 9);
    await expect(login(email)).resolves.toMatchObject({ kind: 'tokens' });
  });
});

describe('changing the password', () => {
  const change = (actor: Actor, password = PASSWORD, newPassword = WRONG) =>
    process.passwords.change(actor, { password, newPassword });

  it("ends every session, including the caller's; then only the new password is valid", async () => {
    const email = newEmail();
    const actor = await registered(email);
    const before = await login(email);
    await change(actor);
    await expect(userOf(before)).rejects.toMatchObject({ code: 'invalid_access_token' });
    await expect(login(email)).rejects.toMatchObject(REFUSED);
    expect(await userOf(await login(email, WRONG))).toBe(actor.userId);
    await expect(change(actor, WRONG, PASSWORD)).rejects.toMatchObject({ code: 'invalid_access_token' });
  });

  it.each(['a login', 'a ticket'])('ends a session that %s opens concurrently', async (way) => {
    const email = newEmail();
    const actor = await registered(email);
    await login(email);
    const begin = way === 'a login' ? () => login(email) : await ticketHolder(actor);
    const changing = { password: PASSWORD, newPassword: WRONG };
    // Opening a session blocks before its end, because it must read the signing key.
    const beginBoth = async () => {
      const beginning = begin();
      await under.untilBlocked(1);
      return Promise.all([beginning, process.passwords.change(actor, changing)]);
    };
    const [begun] = await under.whileLocked('LOCK TABLE token_keys', [], beginBoth, 2);
    const tokens = 'kind' in begun ? begun.kind === 'tokens' && begun.tokens : begun;
    if (tokens === false) throw new Error('a second factor is asked for');
    await expect(actorOf(tokens.accessToken)).rejects.toMatchObject({ code: 'invalid_access_token' });
  });

  it('ends a login that is waiting for its second factor', async () => {
    const email = newEmail();
    const actor = await registered(email);
    const verify = await ticketHolder(actor);
    await change(actor);
    await expect(verify()).rejects.toMatchObject({ code: 'invalid_login' });
  });

  it('needs the current one, with the same limit of guesses as a login', async () => {
    const email = newEmail();
    const actor = await registered(email);
    for (let n = 0; n < 10; n++) {
      await expect(change(actor, WRONG)).rejects.toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'password' }],
      });
    }
    await expect(change(actor)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(login(email)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('needs a valid new one, an account with a password, and ADMIN', async () => {
    const actor = await registered();
    await expect(change(actor, PASSWORD, 'short')).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'new_password' }],
    });
    await expect(change(await under.actor())).rejects.toMatchObject({ code: 'invalid_state' });
    const lesser = { ...actor, credential: { ...actor.credential, permissions: ['TRADE'] as const } };
    await expect(change(lesser)).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
