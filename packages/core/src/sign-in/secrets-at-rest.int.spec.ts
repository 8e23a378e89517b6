/** Tests that a copy of the database reveals no secrets of sign-in. */
import { inTransaction } from '@trading-automation/persistence';
import { fromBase32, referenceTotpCode } from './testing/reference-totp.js';
import { SignInUnderTest } from './testing/sign-in-under-test.js';

let env: SignInUnderTest;
beforeAll(async () => {
  env = await SignInUnderTest.open();
});
afterAll(() => env.close());

describe('a copy of the database', () => {
  it('contains no password, token, ticket, secret or code, in any common encoding', async () => {
    const { passwords, sessions, secondFactor, signIn, keys, platform } = env.createServices();
    const password = 'correct horse battery';
    const tokens = await env.register('a@example.com', password);
    const refreshed = await sessions.refresh(tokens.refreshToken);
    const actor = await sessions.verify(refreshed.accessToken);
    const { secret } = await secondFactor.generate(actor);
    const step = Math.floor(env.nowMs / 30_000);
    const codes = await secondFactor.enable(actor, referenceTotpCode(fromBase32(secret), step));
    const signedIn = await inTransaction(platform.database, (tx) =>
      signIn.complete(tx, actor.userId, 'password'),
    );
    if (signedIn.kind !== 'ticket') throw new Error('no second factor is required');
    const mistyped = 'a password in the e-mail field';
    await passwords.login({ email: mistyped, password }, '192.0.2.1').catch(() => undefined);
    const { privateJwk } = await inTransaction(platform.database, (tx) => keys.signingKey(tx));
    const dump = await env.dump();
    expect(dump).toContain('a@example.com');
    const texts = [
      password,
      mistyped,
      secret,
      signedIn.ticket,
      ...codes,
      ...codes.map((code) => code.replaceAll('-', '')),
      ...[tokens, refreshed].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]),
      String(privateJwk.d),
    ];
    const bytes = [fromBase32(secret), Buffer.from(String(privateJwk.d), 'base64url')];
    for (const text of texts) {
      bytes.push(Buffer.from(text));
      // Also search for the value without its prefix, as text and as decoded bytes. The random part may contain
      // an underscore.
      const body = text.replace(/^[a-z]{2,8}_(?=.{20})/, '');
      if (body !== text) bytes.push(Buffer.from(body), Buffer.from(body, 'base64url'));
    }
    for (const value of bytes) {
      for (const encoding of [
        value.toString('utf8'),
        value.toString('hex'),
        value.toString('base64'),
        value.toString('base64url'),
      ]) {
        expect(dump).not.toContain(encoding);
      }
    }
  });

  it('gives no access: no stored value is accepted as a token, a ticket or a code', async () => {
    const { sessions, secondFactor, signIn, platform } = env.createServices();
    const actor = await env.createActor();
    const secret = fromBase32((await secondFactor.generate(actor)).secret);
    await secondFactor.enable(actor, referenceTotpCode(secret, Math.floor(env.nowMs / 30_000)));
    await env.createSession(actor.userId);
    const issueTicket = () =>
      inTransaction(platform.database, (tx) => secondFactor.issueTicket(tx, actor.userId, 'password'));
    await issueTicket();
    const stored = await env.core.rows(
      `SELECT 'refresh token' AS kind, hash FROM refresh_tokens UNION SELECT 'ticket', hash FROM sign_in_tickets
       UNION SELECT 'recovery code', hash FROM recovery_codes UNION SELECT 'secret', secret_sealed FROM totp_factors`,
    );
    expect(new Set(stored.map(({ kind }) => kind))).toEqual(
      new Set(['refresh token', 'ticket', 'recovery code', 'secret']),
    );
    await inTransaction(platform.database, (tx) => signIn.complete(tx, actor.userId, 'password'));
    for (const { hash } of stored) {
      for (const text of [(hash as Buffer).toString('hex'), (hash as Buffer).toString('base64url')]) {
        await expect(sessions.refresh(`refresh_${text}`)).rejects.toMatchObject({
          code: 'invalid_access_token',
        });
        await expect(sessions.verify(text)).rejects.toMatchObject({ code: 'invalid_access_token' });
        await expect(secondFactor.verify(`ticket_${text}`, '000000')).rejects.toMatchObject({
          code: 'invalid_login',
        });
        await env.core.rows('DELETE FROM sign_in_attempts');
        await expect(secondFactor.verify((await issueTicket()).ticket, text)).rejects.toMatchObject({
          code: 'invalid_login',
        });
      }
    }
  });
});
