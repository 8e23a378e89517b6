import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { decodeId, encodeId, me } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { nobleEngine } from '@trading-automation/signed-request';
import { IdentityService } from '../access/index.js';
import { ISSUER, SignInUnderTest } from './testing/sign-in-under-test.js';

let under: SignInUnderTest;
let process: ReturnType<SignInUnderTest['createServices']>;
beforeAll(async () => {
  under = await SignInUnderTest.open();
  process = under.createServices();
});
afterAll(() => under.close());

type Members = Record<string, unknown>;

const REFUSED = { code: 'invalid_access_token' };
const encoded = (members: Members) => Buffer.from(JSON.stringify(members)).toString('base64url');
const decoded = (part: string | undefined): Members =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
const claimsOf = (token: string) => decoded(token.split('.')[1]);
const verified = (token: string) => process.sessions.verify(token);
const sessionOf = (token: string) => String(decodeId('ses', String(claimsOf(token).sid)));
const change = (token: string, set: string) =>
  under.core.rows(`UPDATE sessions SET ${set} WHERE id = $1`, sessionOf(token));

/** The current signing key, opened with the server key. */
async function signingKey(): Promise<{ kid: string; privateKey: KeyObject }> {
  const { kid, privateJwk } = await inTransaction(process.platform.database, (tx) =>
    process.keys.signingKey(tx),
  );
  return { kid, privateKey: createPrivateKey({ key: privateJwk as never, format: 'jwk' }) };
}

/** A token of ours with other members, signed by our own key. */
async function resigned(token: string, header: Members, claims: Members): Promise<string> {
  const { privateKey } = await signingKey();
  const [head, body] = token.split('.');
  const text = [encoded({ ...decoded(head), ...header }), encoded({ ...decoded(body), ...claims })].join('.');
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

describe('an access token', () => {
  it('identifies the caller, and verifies with the published key in any implementation', async () => {
    const { userId } = await under.core.actor();
    const { accessToken, accessTokenExpiresAt } = await under.session(userId);
    const [head = '', body = '', signature = ''] = accessToken.split('.');
    const { kid, ...header } = decoded(head);
    expect(header).toEqual({ alg: 'EdDSA', typ: 'JWT' });
    const { keys } = await process.sessions.jwks();
    const jwk = keys.find((key) => key.kid === kid);
    expect(jwk).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      kid,
      x: expect.stringMatching(/^[\w-]{43}$/),
    });
    const publicKey = createPublicKey({ key: jwk as never, format: 'jwk' });
    const isSigned = verify(
      null,
      Buffer.from(`${head}.${body}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    );
    expect(isSigned).toBe(true);
    const claims = decoded(body);
    expect(claims).toEqual({
      iss: ISSUER,
      aud: `${ISSUER}/graphql`,
      sub: encodeId('usr', userId),
      sid: expect.stringMatching(/^ses_/),
      iat: expect.any(Number),
      exp: Number(claims.iat) + 900,
      jti: expect.any(String),
    });
    expect(accessTokenExpiresAt).toBe(new Date(Number(claims.exp) * 1000).toISOString());
    expect(await verified(accessToken)).toEqual({
      userId,
      credential: { kind: 'session', id: sessionOf(accessToken), permissions: ['ADMIN'] },
    });
  });

  it('appears to its account as a session with ADMIN', async () => {
    const { accessToken } = await under.session();
    const { platform, commands } = under.core;
    const identities = new IdentityService({
      platform,
      commands,
      engine: nobleEngine,
      openRegistration: true,
    });
    const shown = me.parse(await identities.me(await verified(accessToken)));
    const { sub, sid } = claimsOf(accessToken);
    expect(shown).toMatchObject({
      id: sub,
      credential: { kind: 'session', id: sid, permissions: ['ADMIN'] },
    });
  });

  it('is accepted by every process with the server key, and after its replacement', async () => {
    const { accessToken } = await under.session();
    const platform = await under.core.openSecondPlatform();
    const other = under.createServices({ platform });
    await expect(other.sessions.verify(accessToken)).resolves.toMatchObject({
      credential: { kind: 'session' },
    });
    const replaced = under.createServices({ serverKeys: ['new key', 'server key'] });
    await expect(replaced.sessions.verify(accessToken)).resolves.toBeDefined();
    const { accessToken: next } = await under.session(undefined, replaced);
    expect(decoded(next.split('.')[0]).kid).toBe(decoded(accessToken.split('.')[0]).kid);
  });

  it('that our own key signed again is accepted, so the rejections below depend on the content only', async () => {
    const { accessToken } = await under.session();
    await expect(verified(await resigned(accessToken, {}, {}))).resolves.toBeDefined();
  });

  it('is valid until five seconds after its expiry, to allow for clock differences', async () => {
    const { accessToken } = await under.session();
    const within = await resigned(accessToken, {}, { exp: nowSeconds() - 1 });
    await expect(verified(within)).resolves.toBeDefined();
    const after = await resigned(accessToken, {}, { exp: nowSeconds() - 6 });
    await expect(verified(after)).rejects.toMatchObject(REFUSED);
  });

  it.each([
    ['of another issuer', {}, { iss: 'https://evil.example.com' }],
    ['for another audience', {}, { aud: 'https://other.example.com/graphql' }],
    ['without an audience', {}, { aud: undefined }],
    ['without an end', {}, { exp: undefined }],
    ['without a session', {}, { sid: undefined }],
    ['of a session that is not', {}, { sid: encodeId('ses', newUuid()) }],
    ["of another user's session", {}, { sub: encodeId('usr', newUuid()) }],
    ['that is not good yet', {}, { nbf: nowSeconds() + 600 }],
    ['that names no algorithm', { alg: undefined }, {}],
    ['that names an algorithm we do not sign by', { alg: 'ES256' }, {}],
    ['of a key that is not', { kid: newUuid() }, {}],
    ['that names no key', { kid: undefined }, {}],
    ['whose key has a name that the database can not take', { kid: '\u0000' }, {}],
    ['with an extension that we do not know', { crit: ['x'], x: 1 }, {}],
  ])('%s is rejected', async (_case, header, claims) => {
    const { accessToken } = await under.session();
    await expect(verified(await resigned(accessToken, header, claims))).rejects.toMatchObject(REFUSED);
  });

  it.each(['none', 'None', 'NONE', 'nOnE'])('of the algorithm %j is rejected', async (alg) => {
    const { accessToken } = await under.session();
    const [head, body] = accessToken.split('.');
    const bare = `${encoded({ ...decoded(head), alg })}.${body}.`;
    await expect(verified(bare)).rejects.toMatchObject(REFUSED);
  });

  it('that is a MAC under the published key is rejected', async () => {
    const { accessToken } = await under.session();
    const [head, body] = accessToken.split('.');
    const header = decoded(head);
    const { keys } = await process.sessions.jwks();
    const jwk = keys.find(({ kid }) => kid === header.kid)!;
    const pem = createPublicKey({ key: jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const text = `${encoded({ ...header, alg: 'HS256' })}.${body}`;
    for (const secret of [Buffer.from(pem), Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.x)]) {
      const mac = createHmac('sha256', secret).update(text).digest('base64url');
      await expect(verified(`${text}.${mac}`)).rejects.toMatchObject(REFUSED);
    }
  });

  it('is rejected with any bit of its parts changed', async () => {
    const { accessToken } = await under.session();
    const parts = accessToken.split('.').map((part) => Buffer.from(part, 'base64url'));
    for (const [index, part] of parts.entries()) {
      for (const at of [0, part.length >> 1, part.length - 1]) {
        const altered = Buffer.from(part);
        altered[at]! ^= 1;
        const text = parts.map((each, n) => (n === index ? altered : each).toString('base64url')).join('.');
        await expect(verified(text)).rejects.toMatchObject(REFUSED);
      }
    }
  });

  it.each(['', '.', '..', 'a.b.c', '\u0000', '🙂', 'x'.repeat(300), `${'a'.repeat(900)}.b.c`])(
    'is not %j',
    async (text) => {
      await expect(verified(text)).rejects.toMatchObject(REFUSED);
    },
  );

  it('is rejected once its session has ended or expired', async () => {
    for (const set of ['revoked_at = now()', "expires_at = now() - interval '1 second'"]) {
      const { accessToken } = await under.session();
      await expect(verified(accessToken)).resolves.toBeDefined();
      await change(accessToken, set);
      await expect(verified(accessToken)).rejects.toMatchObject(REFUSED);
    }
  });

  it('that cannot be verified during an outage throws instead of being rejected', async () => {
    const { accessToken } = await under.session();
    const platform = await under.core.openSecondPlatform();
    const other = under.createServices({ platform });
    await platform.database.destroy();
    await expect(other.sessions.verify(accessToken)).rejects.not.toMatchObject(REFUSED);
    await platform.listener.stop();
  });
});

describe('a refresh token', () => {
  const refresh = (token: string) => process.sessions.refresh(token);

  it('is 32 random bytes, and yields the next tokens of the same session', async () => {
    const first = await under.session();
    expect(first.refreshToken).toMatch(/^refresh_[\w-]{43}$/);
    const next = await refresh(first.refreshToken);
    expect(next.refreshToken).not.toBe(first.refreshToken);
    expect(sessionOf(next.accessToken)).toBe(sessionOf(first.accessToken));
    await expect(verified(first.accessToken)).resolves.toBeDefined();
    await expect(verified(next.accessToken)).resolves.toBeDefined();
    await expect(refresh(next.refreshToken)).resolves.toBeDefined();
  });

  it('that is reused ends its session with all of its tokens', async () => {
    const other = await under.session();
    const first = await under.session();
    const second = await refresh(first.refreshToken);
    const third = await refresh(second.refreshToken);
    await expect(refresh(first.refreshToken)).rejects.toMatchObject(REFUSED);
    await expect(refresh(third.refreshToken)).rejects.toMatchObject(REFUSED);
    for (const { accessToken } of [first, second, third]) {
      await expect(verified(accessToken)).rejects.toMatchObject(REFUSED);
    }
    await expect(verified(other.accessToken)).resolves.toBeDefined();
    await expect(refresh(other.refreshToken)).resolves.toBeDefined();
  });

  it('yields tokens once for twenty concurrent requests in two processes', async () => {
    const platform = await under.core.openSecondPlatform();
    const processes = [process, under.createServices({ platform })];
    const { refreshToken } = await under.session();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => processes[n % 2]!.sessions.refresh(refreshToken)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(REFUSED);
      // The thief among the twenty is unknown, so the session ends for all of them.
      else await expect(verified(outcome.value.accessToken)).rejects.toMatchObject(REFUSED);
    }
  });

  it('extends a session by 30 days each time, up to 90 days', async () => {
    const daysLeft = (at: string) => (Date.parse(at) - Date.now()) / 86_400_000;
    const first = await under.session();
    expect(daysLeft(first.refreshTokenExpiresAt)).toBeCloseTo(30, 2);
    await change(first.accessToken, "expires_at = now() + interval '1 day'");
    const second = await refresh(first.refreshToken);
    expect(daysLeft(second.refreshTokenExpiresAt)).toBeCloseTo(30, 2);
    const [{ days } = {}] = await under.core.rows(
      'SELECT extract(epoch FROM ends_at - created_at) / 86400 AS days FROM sessions WHERE id = $1',
      sessionOf(first.accessToken),
    );
    expect(Number(days)).toBeCloseTo(90, 5);
    await change(
      first.accessToken,
      "expires_at = now() + interval '1 day', ends_at = now() + interval '2 days'",
    );
    const third = await refresh(second.refreshToken);
    expect(daysLeft(third.refreshTokenExpiresAt)).toBeCloseTo(2, 2);
  });

  it('yields nothing once its session has ended, even concurrently', async () => {
    const { accessToken, refreshToken } = await under.session();
    const ending = 'UPDATE sessions SET revoked_at = now() WHERE id = $1';
    const refreshing = under.whileLocked(ending, [sessionOf(accessToken)], () => refresh(refreshToken));
    await expect(refreshing).rejects.toMatchObject(REFUSED);
  });

  it('of an expired session is rejected', async () => {
    const { accessToken, refreshToken } = await under.session();
    await change(accessToken, "expires_at = now() - interval '1 second'");
    await expect(refresh(refreshToken)).rejects.toMatchObject(REFUSED);
  });

  it.each([
    '',
    'refresh_',
    `refresh_${'A'.repeat(43)}`,
    `ticket_${'A'.repeat(43)}`,
    '\u0000',
    'x'.repeat(10_000),
  ])('is not %j', async (text) => {
    await expect(refresh(text)).rejects.toMatchObject(REFUSED);
  });

  it('is not an access token, and an access token is not a refresh token', async () => {
    const { accessToken, refreshToken } = await under.session();
    await expect(verified(refreshToken)).rejects.toMatchObject(REFUSED);
    await expect(refresh(accessToken)).rejects.toMatchObject(REFUSED);
  });
});

describe('ending', () => {
  it('a session ends its tokens, and no other session', async () => {
    const { userId } = await under.core.actor();
    const [mine, other] = [await under.session(userId), await under.session(userId)];
    await process.sessions.revoke(await verified(mine.accessToken));
    await expect(verified(mine.accessToken)).rejects.toMatchObject(REFUSED);
    await expect(process.sessions.refresh(mine.refreshToken)).rejects.toMatchObject(REFUSED);
    await expect(verified(other.accessToken)).resolves.toBeDefined();
  });

  it('needs a session; other credentials are rejected', async () => {
    const actor = await under.core.actor();
    await expect(process.sessions.revoke(actor)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it("all sessions of a user ends no other user's", async () => {
    const { userId } = await under.core.actor();
    const mine = [await under.session(userId), await under.session(userId)];
    const other = await under.session();
    await inTransaction(process.platform.database, (tx) => process.sessions.revokeAll(tx, userId));
    for (const { accessToken } of mine) await expect(verified(accessToken)).rejects.toMatchObject(REFUSED);
    await expect(verified(other.accessToken)).resolves.toBeDefined();
  });

  it('notifies the watches of long-lived requests', async () => {
    const { accessToken } = await under.session();
    const actor = await verified(accessToken);
    let tell = () => {};
    const notified = new Promise<void>((resolve) => {
      tell = resolve;
    });
    let isEnding = false;
    const { listener } = under.core.platform;
    const unsubscribe = listener.subscribe('credentials_changed', () => {
      if (isEnding) tell();
    });
    await under.core.untilListening();
    isEnding = true;
    await process.sessions.revoke(actor);
    await notified;
    unsubscribe();
  });
});

describe('signing keys', () => {
  const keys = () =>
    under.core.rows('SELECT kid, signs_until, shown_until FROM token_keys ORDER BY created_at');
  const kidOf = (token: string) => decoded(token.split('.')[0]).kid;

  it('are created once, however many processes need one concurrently', async () => {
    await under.core.rows('DELETE FROM token_keys');
    const others = [process, under.createServices({ platform: await under.core.openSecondPlatform() })];
    const { userId } = await under.core.actor();
    const issued = await Promise.all(
      Array.from({ length: 12 }, (_, n) => under.session(userId, others[n % 2])),
    );
    expect(await keys()).toHaveLength(1);
    expect(new Set(issued.map(({ accessToken }) => kidOf(accessToken))).size).toBe(1);
  });

  it('sign for 30 days; the previous key stays published until its tokens expire', async () => {
    const { accessToken: old } = await under.session();
    const [{ days } = {}] = await under.core.rows(
      'SELECT extract(epoch FROM signs_until - created_at) / 86400 AS days FROM token_keys WHERE kid = $1',
      kidOf(old),
    );
    expect(Number(days)).toBeCloseTo(30, 5);
    await under.core.rows(
      "UPDATE token_keys SET signs_until = signs_until - interval '30 days', shown_until = shown_until - interval '30 days'",
    );
    const { accessToken: next } = await under.session();
    expect(kidOf(next)).not.toBe(kidOf(old));
    const shown = async () => (await process.sessions.jwks()).keys.map(({ kid }) => kid);
    expect(await shown()).toEqual([kidOf(next), kidOf(old)]);
    await expect(verified(old)).resolves.toBeDefined();
    await under.core.rows('UPDATE token_keys SET shown_until = now() WHERE kid = $1', kidOf(old));
    expect(await shown()).toEqual([kidOf(next)]);
    await expect(verified(old)).rejects.toMatchObject(REFUSED);
  });

  it('are replaced if no server key can open them', async () => {
    const { accessToken: old } = await under.session();
    const forgotten = under.createServices({ serverKeys: ['another server key'] });
    const { accessToken: next } = await under.session(undefined, forgotten);
    expect(kidOf(next)).not.toBe(kidOf(old));
    await expect(forgotten.sessions.verify(next)).resolves.toBeDefined();
    await expect(forgotten.sessions.verify(old)).resolves.toBeDefined();
  });

  it('are published without their private half', async () => {
    await under.session();
    for (const key of (await process.sessions.jwks()).keys) expect(key).not.toHaveProperty('d');
  });
});

describe('opening an account', () => {
  it('stores the verified address, or none, if registration is open', async () => {
    const open = (email?: string) =>
      inTransaction(process.platform.database, (tx) =>
        process.sessions.openAccount(tx, email === undefined ? {} : { email }),
      );
    const user = (id: string) =>
      under.core.row('SELECT email, pending_email, email_verified_at FROM users WHERE id = $1', id);
    expect(await user(await open('anna@example.com'))).toEqual({
      email: 'anna@example.com',
      pending_email: null,
      email_verified_at: expect.any(Date),
    });
    expect(await user(await open())).toEqual({ email: null, pending_email: null, email_verified_at: null });
  });

  it('is rejected if registration is closed', async () => {
    const closed = under.createServices({ openRegistration: false });
    const opening = inTransaction(closed.platform.database, (tx) => closed.sessions.openAccount(tx));
    await expect(opening).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
