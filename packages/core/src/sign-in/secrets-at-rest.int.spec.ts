/** What a copy of the database reveals about sign-in. */
import { inTransaction } from '@trading-automation/persistence';
import { fromBase32, referenceTotpCode } from './testing/reference-totp.js';
import { SignInUnderTest } from './testing/sign-in-under-test.js';

let under: SignInUnderTest;
beforeAll(async () => {
  under = await SignInUnderTest.open();
});
afterAll(() => under.close());

describe('a copy of the database', () => {
  it('contains no password, token, ticket, secret or code, in any common encoding', async () => {
    const { passwords, sessions, secondFactor, signIn, keys, platform } = under.createServices();
    const password = 'correct horse battery';
    const tokens = await passwords.register({ email: 'a@example.com', password });
    const refreshed = await sessions.refresh(tokens.refreshToken);
    const actor = await sessions.verify(refreshed.accessToken);
    const { secret } = await secondFactor.generate(actor);
    const step = Math.floor(under.nowMs / 30_000);
    const codes = await secondFactor.enable(actor, referenceTotpCode(fromBase32(secret), step));
    const signedIn = await inTransaction(platform.database, (tx) =>
      signIn.complete(tx, actor.userId, 'password'),
    );
    if (signedIn.kind !== 'ticket') throw new Error('no second factor is asked for');
    const mistyped = 'a password in the field of the address';
    await passwords.login({ email: mistyped, password }).catch(() => undefined);
    const { privateJwk } = await inTransaction(platform.database, (tx) => keys.signingKey(tx));
    const dump = await under.dump();
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
      // Without the prefix, if it has one; the random part may contain the same character.
      const body = text.replace(/^[a-z]{2,8}_(?=.{20})/, '');
      if (body !== text) bytes.push(Buffer.from(body), Buffer.from(body, 'base64url'));
    }
    for (const each of bytes) {
      for (const spelling of [
        each.toString('utf8'),
        each.toString('hex'),
        each.toString('base64'),
        each.toString('base64url'),
      ]) {
        expect(dump).not.toContain(spelling);
      }
    }
  });

  it('gives no access: no stored value is accepted as a token, a ticket or a code', async () => {
    const { sessions, secondFactor, signIn, platform } = under.createServices();
    const actor = await under.actor();
    const secret = fromBase32((await secondFactor.generate(actor)).secret);
    await secondFactor.enable(actor, referenceTotpCode(secret, Math.floor(under.nowMs / 30_000)));
    await under.session(actor.userId);
    const ticket = () =>
      inTransaction(platform.database, (tx) => secondFactor.issueTicket(tx, actor.userId, 'password'));
    const stored = await under.core.rows(
      `SELECT hash FROM refresh_tokens UNION SELECT hash FROM sign_in_tickets UNION SELECT hash FROM recovery_codes
       UNION SELECT secret_sealed FROM totp_factors`,
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
        await under.core.rows('DELETE FROM sign_in_attempts');
        await expect(secondFactor.verify((await ticket()).ticket, text)).rejects.toMatchObject({
          code: 'invalid_login',
        });
      }
    }
  });
});
