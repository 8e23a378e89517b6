import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { decodeId, encodeId, me } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { nobleEngine } from '@trading-automation/signed-request';
import { IdentityService } from '../access/index.js';
import { ISSUER, SignInUnderTest } from './testing/sign-in-under-test.js';

let env: SignInUnderTest;
let services: ReturnType<SignInUnderTest['createServices']>;
beforeAll(async () => {
  env = await SignInUnderTest.open();
  services = env.createServices();
});
afterAll(() => env.close());

type Members = Record<string, unknown>;

const REJECTED = { code: 'invalid_access_token' };
const encodePart = (members: Members) => Buffer.from(JSON.stringify(members)).toString('base64url');
const decodePart = (part: string | undefined): Members =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
const claimsOf = (token: string) => decodePart(token.split('.')[1]);
const verifyToken = (token: string) => services.sessions.verify(token);
const sessionOf = (token: string) => String(decodeId('ses', String(claimsOf(token).sid)));
const updateSession = (token: string, set: string) =>
  env.core.rows(`UPDATE sessions SET ${set} WHERE id = $1`, sessionOf(token));

/** Returns the current signing key. */
async function signingKey(): Promise<{ kid: string; privateKey: KeyObject }> {
  const { kid, privateJwk } = await inTransaction(services.platform.database, (tx) =>
    services.keys.signingKey(tx),
  );
  return { kid, privateKey: createPrivateKey({ key: privateJwk as never, format: 'jwk' }) };
}

/** Returns a copy of the token with changed header and claims, signed with the current signing key. */
async function signAgain(token: string, header: Members, claims: Members): Promise<string> {
  const { privateKey } = await signingKey();
  const [head, body] = token.split('.');
  const text = [
    encodePart({ ...decodePart(head), ...header }),
    encodePart({ ...decodePart(body), ...claims }),
  ].join('.');
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

describe('an access token', () => {
  it('identifies the caller, and can be verified with the published key by another implementation', async () => {
    const { userId } = await env.core.actor();
    const { accessToken, accessTokenExpiresAt } = await env.createSession(userId);
    const [head = '', body = '', signature = ''] = accessToken.split('.');
    const { kid, ...header } = decodePart(head);
    expect(header).toEqual({ alg: 'EdDSA', typ: 'JWT' });
    const { keys } = await services.sessions.jwks();
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
    const claims = decodePart(body);
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
    expect(await verifyToken(accessToken)).toEqual({
      userId,
      credential: { kind: 'session', id: sessionOf(accessToken), permissions: ['ADMIN'] },
    });
  });

  it('is shown to its account as a session with ADMIN', async () => {
    const { accessToken } = await env.createSession();
    const { platform, commands } = env.core;
    const identities = new IdentityService({
      platform,
      commands,
      engine: nobleEngine,
      isRegistrationOpen: true,
    });
    const profile = me.parse(await identities.me(await verifyToken(accessToken)));
    const { sub, sid } = claimsOf(accessToken);
    expect(profile).toMatchObject({
      id: sub,
      credential: { kind: 'session', id: sid, permissions: ['ADMIN'] },
    });
  });

  it('is accepted by every process that has the server key, even after the key was replaced', async () => {
    const { accessToken } = await env.createSession();
    const platform = await env.core.openSecondPlatform();
    const other = env.createServices({ platform });
    await expect(other.sessions.verify(accessToken)).resolves.toMatchObject({
      credential: { kind: 'session' },
    });
    const replaced = env.createServices({ serverKeys: ['new key', 'server key'] });
    await expect(replaced.sessions.verify(accessToken)).resolves.toBeDefined();
    const { accessToken: next } = await env.createSession(undefined, replaced);
    expect(decodePart(next.split('.')[0]).kid).toBe(decodePart(accessToken.split('.')[0]).kid);
  });

  it('is accepted if it is signed again without changes, so that only changes cause the rejections below', async () => {
    const { accessToken } = await env.createSession();
    await expect(verifyToken(await signAgain(accessToken, {}, {}))).resolves.toBeDefined();
  });

  it('is valid until five seconds after its expiry, to allow for clock differences', async () => {
    const { accessToken } = await env.createSession();
    const withinTolerance = await signAgain(accessToken, {}, { exp: nowSeconds() - 1 });
    await expect(verifyToken(withinTolerance)).resolves.toBeDefined();
    const afterTolerance = await signAgain(accessToken, {}, { exp: nowSeconds() - 6 });
    await expect(verifyToken(afterTolerance)).rejects.toMatchObject(REJECTED);
  });

  it.each([
    ['is from another issuer', {}, { iss: 'https://evil.example.com' }],
    ['is for another audience', {}, { aud: 'https://other.example.com/graphql' }],
    ['has no audience', {}, { aud: undefined }],
    ['has no expiry time', {}, { exp: undefined }],
    ['has no session', {}, { sid: undefined }],
    ['belongs to an unknown session', {}, { sid: encodeId('ses', newUuid()) }],
    ["belongs to another user's session", {}, { sub: encodeId('usr', newUuid()) }],
    ['is not valid yet', {}, { nbf: nowSeconds() + 600 }],
    ['does not name an algorithm', { alg: undefined }, {}],
    ['names another algorithm', { alg: 'ES256' }, {}],
    ['names an unknown key', { kid: newUuid() }, {}],
    ['does not name a key', { kid: undefined }, {}],
    ['names a key with an id that the database cannot store', { kid: '\u0000' }, {}],
    ['has an unknown critical extension', { crit: ['x'], x: 1 }, {}],
  ])('is rejected if it %s', async (_case, header, claims) => {
    const { accessToken } = await env.createSession();
    await expect(verifyToken(await signAgain(accessToken, header, claims))).rejects.toMatchObject(REJECTED);
  });

  it.each(['none', 'None', 'NONE', 'nOnE'])('is rejected if it names the algorithm %j', async (alg) => {
    const { accessToken } = await env.createSession();
    const [head, body] = accessToken.split('.');
    const unsigned = `${encodePart({ ...decodePart(head), alg })}.${body}.`;
    await expect(verifyToken(unsigned)).rejects.toMatchObject(REJECTED);
  });

  it('is rejected if its signature is a MAC with the published key', async () => {
    const { accessToken } = await env.createSession();
    const [head, body] = accessToken.split('.');
    const header = decodePart(head);
    const { keys } = await services.sessions.jwks();
    const jwk = keys.find(({ kid }) => kid === header.kid)!;
    const pem = createPublicKey({ key: jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const text = `${encodePart({ ...header, alg: 'HS256' })}.${body}`;
    for (const secret of [Buffer.from(pem), Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.x)]) {
      const mac = createHmac('sha256', secret).update(text).digest('base64url');
      await expect(verifyToken(`${text}.${mac}`)).rejects.toMatchObject(REJECTED);
    }
  });

  it('is rejected if any bit of a part is changed', async () => {
    const { accessToken } = await env.createSession();
    const parts = accessToken.split('.').map((part) => Buffer.from(part, 'base64url'));
    for (const [index, part] of parts.entries()) {
      for (const at of [0, part.length >> 1, part.length - 1]) {
        const changed = Buffer.from(part);
        changed[at]! ^= 1;
        const text = parts
          .map((original, n) => (n === index ? changed : original).toString('base64url'))
          .join('.');
        await expect(verifyToken(text)).rejects.toMatchObject(REJECTED);
      }
    }
  });

  it.each(['', '.', '..', 'a.b.c', '\u0000', '🙂', 'x'.repeat(300), `${'a'.repeat(900)}.b.c`])(
    'is rejected if it is malformed or unknown: %j',
    async (text) => {
      await expect(verifyToken(text)).rejects.toMatchObject(REJECTED);
    },
  );

  it('is rejected once its session has ended or expired', async () => {
    for (const set of ['revoked_at = now()', "expires_at = now() - interval '1 second'"]) {
      const { accessToken } = await env.createSession();
      await expect(verifyToken(accessToken)).resolves.toBeDefined();
      await updateSession(accessToken, set);
      await expect(verifyToken(accessToken)).rejects.toMatchObject(REJECTED);
    }
  });

  it('is not rejected as invalid if the database is unavailable; the outage is reported', async () => {
    const { accessToken } = await env.createSession();
    const platform = await env.core.openSecondPlatform();
    const other = env.createServices({ platform });
    await platform.database.destroy();
    await expect(other.sessions.verify(accessToken)).rejects.not.toMatchObject(REJECTED);
    await platform.listener.stop();
  });
});

describe('a refresh token', () => {
  const refresh = (token: string) => services.sessions.refresh(token);

  it('contains 32 random bytes, and can be exchanged for the next tokens of its session', async () => {
    const first = await env.createSession();
    expect(first.refreshToken).toMatch(/^refresh_[\w-]{43}$/);
    const next = await refresh(first.refreshToken);
    expect(next.refreshToken).not.toBe(first.refreshToken);
    expect(sessionOf(next.accessToken)).toBe(sessionOf(first.accessToken));
    await expect(verifyToken(first.accessToken)).resolves.toBeDefined();
    await expect(verifyToken(next.accessToken)).resolves.toBeDefined();
    await expect(refresh(next.refreshToken)).resolves.toBeDefined();
  });

  it('ends its session if it is used twice, which invalidates all tokens of the session', async () => {
    const other = await env.createSession();
    const first = await env.createSession();
    const second = await refresh(first.refreshToken);
    const third = await refresh(second.refreshToken);
    await expect(refresh(first.refreshToken)).rejects.toMatchObject(REJECTED);
    await expect(refresh(third.refreshToken)).rejects.toMatchObject(REJECTED);
    for (const { accessToken } of [first, second, third]) {
      await expect(verifyToken(accessToken)).rejects.toMatchObject(REJECTED);
    }
    await expect(verifyToken(other.accessToken)).resolves.toBeDefined();
    await expect(refresh(other.refreshToken)).resolves.toBeDefined();
  });

  it('is exchanged once if two processes get twenty concurrent requests, and the session ends', async () => {
    const platform = await env.core.openSecondPlatform();
    const processes = [services, env.createServices({ platform })];
    const { refreshToken } = await env.createSession();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => processes[n % 2]!.sessions.refresh(refreshToken)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(REJECTED);
      // One of the requests may come from a thief, but it is unknown which one. So the session ends for all of them.
      else await expect(verifyToken(outcome.value.accessToken)).rejects.toMatchObject(REJECTED);
    }
  });

  it('extends its session to 30 days from now, but not beyond 90 days after its start', async () => {
    const daysLeft = (at: string) => (Date.parse(at) - Date.now()) / 86_400_000;
    const first = await env.createSession();
    expect(daysLeft(first.refreshTokenExpiresAt)).toBeCloseTo(30, 2);
    await updateSession(first.accessToken, "expires_at = now() + interval '1 day'");
    const second = await refresh(first.refreshToken);
    expect(daysLeft(second.refreshTokenExpiresAt)).toBeCloseTo(30, 2);
    const [{ days } = {}] = await env.core.rows(
      'SELECT extract(epoch FROM ends_at - created_at) / 86400 AS days FROM sessions WHERE id = $1',
      sessionOf(first.accessToken),
    );
    expect(Number(days)).toBeCloseTo(90, 5);
    await updateSession(
      first.accessToken,
      "expires_at = now() + interval '1 day', ends_at = now() + interval '2 days'",
    );
    const third = await refresh(second.refreshToken);
    expect(daysLeft(third.refreshTokenExpiresAt)).toBeCloseTo(2, 2);
  });

  it('is rejected if its session ends during the request', async () => {
    const { accessToken, refreshToken } = await env.createSession();
    const endSession = 'UPDATE sessions SET revoked_at = now() WHERE id = $1';
    const refreshing = env.whileLocked(endSession, [sessionOf(accessToken)], () => refresh(refreshToken));
    await expect(refreshing).rejects.toMatchObject(REJECTED);
  });

  it('is rejected if its session has expired', async () => {
    const { accessToken, refreshToken } = await env.createSession();
    await updateSession(accessToken, "expires_at = now() - interval '1 second'");
    await expect(refresh(refreshToken)).rejects.toMatchObject(REJECTED);
  });

  it.each([
    '',
    'refresh_',
    `refresh_${'A'.repeat(43)}`,
    `ticket_${'A'.repeat(43)}`,
    '\u0000',
    'x'.repeat(10_000),
  ])('is rejected if it is malformed or unknown: %j', async (text) => {
    await expect(refresh(text)).rejects.toMatchObject(REJECTED);
  });

  it('is not an access token, and an access token is not a refresh token', async () => {
    const { accessToken, refreshToken } = await env.createSession();
    await expect(verifyToken(refreshToken)).rejects.toMatchObject(REJECTED);
    await expect(refresh(accessToken)).rejects.toMatchObject(REJECTED);
  });
});

describe('ending', () => {
  it('a session invalidates its tokens, but no other session', async () => {
    const { userId } = await env.core.actor();
    const [mine, other] = [await env.createSession(userId), await env.createSession(userId)];
    await services.sessions.revoke(await verifyToken(mine.accessToken));
    await expect(verifyToken(mine.accessToken)).rejects.toMatchObject(REJECTED);
    await expect(services.sessions.refresh(mine.refreshToken)).rejects.toMatchObject(REJECTED);
    await expect(verifyToken(other.accessToken)).resolves.toBeDefined();
  });

  it('a session with another kind of credential is rejected', async () => {
    const actor = await env.core.actor();
    await expect(services.sessions.revoke(actor)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it("all sessions of a user does not end another user's session", async () => {
    const { userId } = await env.core.actor();
    const mine = [await env.createSession(userId), await env.createSession(userId)];
    const other = await env.createSession();
    await inTransaction(services.platform.database, (tx) => services.sessions.revokeAll(tx, userId));
    for (const { accessToken } of mine)
      await expect(verifyToken(accessToken)).rejects.toMatchObject(REJECTED);
    await expect(verifyToken(other.accessToken)).resolves.toBeDefined();
  });

  it('a session notifies the processes that watch the credentials of long-lived requests', async () => {
    const { accessToken } = await env.createSession();
    const actor = await verifyToken(accessToken);
    let onNotified = () => {};
    const notified = new Promise<void>((resolve) => {
      onNotified = resolve;
    });
    let isEnding = false;
    const { listener } = env.core.platform;
    const unsubscribe = listener.subscribe('credentials_changed', () => {
      if (isEnding) onNotified();
    });
    await env.core.untilListening();
    isEnding = true;
    await services.sessions.revoke(actor);
    await notified;
    unsubscribe();
  });
});

describe('signing keys', () => {
  const keys = () =>
    env.core.rows('SELECT kid, signs_until, shown_until FROM token_keys ORDER BY created_at');
  const kidOf = (token: string) => decodePart(token.split('.')[0]).kid;

  it('are created once, even if several processes need one concurrently', async () => {
    await env.core.rows('DELETE FROM token_keys');
    const serviceSets = [services, env.createServices({ platform: await env.core.openSecondPlatform() })];
    const { userId } = await env.core.actor();
    const issued = await Promise.all(
      Array.from({ length: 12 }, (_, n) => env.createSession(userId, serviceSets[n % 2])),
    );
    expect(await keys()).toHaveLength(1);
    expect(new Set(issued.map(({ accessToken }) => kidOf(accessToken))).size).toBe(1);
  });

  it('sign for 30 days; after that, the old key stays published until its tokens have expired', async () => {
    const { accessToken: old } = await env.createSession();
    const [{ days } = {}] = await env.core.rows(
      'SELECT extract(epoch FROM signs_until - created_at) / 86400 AS days FROM token_keys WHERE kid = $1',
      kidOf(old),
    );
    expect(Number(days)).toBeCloseTo(30, 5);
    await env.core.rows(
      "UPDATE token_keys SET signs_until = signs_until - interval '30 days', shown_until = shown_until - interval '30 days'",
    );
    const { accessToken: next } = await env.createSession();
    expect(kidOf(next)).not.toBe(kidOf(old));
    const publishedKids = async () => (await services.sessions.jwks()).keys.map(({ kid }) => kid);
    expect(await publishedKids()).toEqual([kidOf(next), kidOf(old)]);
    await expect(verifyToken(old)).resolves.toBeDefined();
    await env.core.rows('UPDATE token_keys SET shown_until = now() WHERE kid = $1', kidOf(old));
    expect(await publishedKids()).toEqual([kidOf(next)]);
    await expect(verifyToken(old)).rejects.toMatchObject(REJECTED);
  });

  it('are replaced if no server key can open them', async () => {
    const { accessToken: old } = await env.createSession();
    const withNewKey = env.createServices({ serverKeys: ['another server key'] });
    const { accessToken: next } = await env.createSession(undefined, withNewKey);
    expect(kidOf(next)).not.toBe(kidOf(old));
    await expect(withNewKey.sessions.verify(next)).resolves.toBeDefined();
    await expect(withNewKey.sessions.verify(old)).resolves.toBeDefined();
  });

  it('are published without their private half', async () => {
    await env.createSession();
    for (const key of (await services.sessions.jwks()).keys) expect(key).not.toHaveProperty('d');
  });
});

describe('opening an account', () => {
  it('stores the verified e-mail address, if there is one', async () => {
    const open = (email?: string) =>
      inTransaction(services.platform.database, (tx) =>
        services.sessions.openAccount(tx, email === undefined ? {} : { email }),
      );
    const user = (id: string) =>
      env.core.row('SELECT email, pending_email, email_verified_at FROM users WHERE id = $1', id);
    expect(await user(await open('anna@example.com'))).toEqual({
      email: 'anna@example.com',
      pending_email: null,
      email_verified_at: expect.any(Date),
    });
    expect(await user(await open())).toEqual({ email: null, pending_email: null, email_verified_at: null });
  });

  it('is rejected if registration is closed', async () => {
    const closed = env.createServices({ isRegistrationOpen: false });
    const opening = inTransaction(closed.platform.database, (tx) => closed.sessions.openAccount(tx));
    await expect(opening).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
