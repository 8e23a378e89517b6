import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { CLIENT, LocalProvider } from '../../test/local-provider.js';
import { type OpenIdProvider, OpenIdTokenVerifier } from './open-id-token-verifier.js';

const PERSON = { id: 'person-7', email: 'seven@example.com', emailVerified: true };

const NONCE = 'nonce of the test';

let provider: LocalProvider;
beforeEach(async () => {
  provider = await LocalProvider.start(PERSON);
});
afterEach(() => provider.stop());

const providerSettings = (more: Partial<OpenIdProvider> = {}): OpenIdProvider => ({
  name: 'google',
  label: 'The provider',
  issuer: provider.issuer,
  clientIds: [CLIENT],
  ...more,
});
const verifier = (more: Partial<OpenIdProvider> = {}) => new OpenIdTokenVerifier(providerSettings(more));
/** Creates a verifier that may request the provider's keys again immediately. */
const verifierWithoutCooldown = () => new OpenIdTokenVerifier(providerSettings(), { keysCooldownMs: 0 });

const now = () => Math.floor(Date.now() / 1_000);
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: provider.issuer,
  aud: CLIENT,
  sub: PERSON.id,
  iat: now(),
  exp: now() + 3_600,
  nonce: NONCE,
  ...more,
});
const without = (name: string): JWTPayload => {
  const { [name]: _, ...rest } = claims();
  return rest;
};

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const identified = expect.objectContaining({ subject: PERSON.id });
const invalidLogin = expect.objectContaining({ code: 'invalid_login' });
const unavailable = expect.objectContaining({ code: 'service_unavailable' });

describe('an ID token', () => {
  it('of a real sign-in identifies its user and the verified e-mail address', async () => {
    const identity = await verifier().identify({
      idToken: await provider.idToken({ nonce: NONCE }),
      nonce: NONCE,
    });
    expect(identity).toEqual({
      provider: 'google',
      subject: PERSON.id,
      email: PERSON.email,
      emailVerified: true,
      proof: { hash: expect.any(Buffer), expiresAt: expect.any(Date) },
    });
  });

  it('carries a proof that is equal for each use of the token, and different for each token', async () => {
    const [first, second] = [await provider.sign(claims()), await provider.sign(claims({ jti: 'other' }))];
    const proofOf = async (idToken: string) =>
      (await verifier().identify({ idToken, nonce: NONCE })).proof?.hash.toString('hex');
    expect(await proofOf(first)).toBe(await proofOf(first));
    expect(await proofOf(second)).not.toBe(await proofOf(first));
  });

  it('is accepted with RS256 and with ES256', async () => {
    await expect(
      verifier().identify({ idToken: await provider.idToken({ nonce: NONCE }), nonce: NONCE }),
    ).resolves.toEqual(identified);
    await provider.useKey('second', 'ES256');
    await expect(
      verifier().identify({ idToken: await provider.idToken({ nonce: NONCE }), nonce: NONCE }),
    ).resolves.toEqual(identified);
  });

  it('may contain email_verified as a boolean or as a string; without it, the address is unverified', async () => {
    for (const [email_verified, emailVerified] of [
      [false, false],
      ['false', false],
      [undefined, false],
      ['true', true],
      [true, true],
    ] as const) {
      const idToken = await provider.sign(claims({ email: 'a@example.com', email_verified }));
      await expect(verifier().identify({ idToken, nonce: NONCE })).resolves.toMatchObject({ emailVerified });
    }
  });

  it('with an invalid address identifies a user without an address', async () => {
    for (const email of ['somebody', 'a@example.com\u0000', `${'a'.repeat(300)}@example.com`, 7]) {
      const idToken = await provider.sign(claims({ email, email_verified: true }));
      const { email: identifiedEmail } = await verifier().identify({ idToken, nonce: NONCE });
      expect(identifiedEmail).toBeUndefined();
    }
  });

  it('is rejected if it was modified', async () => {
    const idToken = await provider.idToken({ nonce: NONCE });
    const [header, payload = '', signature] = idToken.split('.');
    const forged = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'somebody' };
    const attempt = verifier().identify({
      idToken: [header, encoded(forged), signature].join('.'),
      nonce: NONCE,
    });
    await expect(attempt).rejects.toEqual(invalidLogin);
  });

  it('is rejected if another key signed it under the id of the published key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const idToken = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: 'first' })
      .sign(privateKey);
    await expect(verifier().identify({ idToken, nonce: NONCE })).rejects.toEqual(invalidLogin);
  });

  it('is rejected if it contains its own key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = publicKey.export({ format: 'jwk' });
    const idToken = await new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', jwk }).sign(privateKey);
    await expect(verifier().identify({ idToken, nonce: NONCE })).rejects.toEqual(invalidLogin);
  });

  it('is rejected without a signature, and with the public key as a shared secret', async () => {
    const unsigned = `${encoded({ alg: 'none' })}.${encoded(claims())}.`;
    await expect(verifier().identify({ idToken: unsigned, nonce: NONCE })).rejects.toEqual(invalidLogin);
    const shared = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(Buffer.from(provider.publicKeyPem()));
    await expect(verifier().identify({ idToken: shared, nonce: NONCE })).rejects.toEqual(invalidLogin);
  });

  it('is rejected with an algorithm other than RS256 if the RSA key of the provider states no algorithm', async () => {
    provider.override = (request, response) => {
      if (request.url !== '/jwks') return false;
      const jwk = createPublicKey(provider.publicKeyPem()).export({ format: 'jwk' });
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'first' }] }));
      return true;
    };
    const sharedVerifier = verifier();
    await expect(
      sharedVerifier.identify({ idToken: await provider.sign(claims()), nonce: NONCE }),
    ).resolves.toEqual(identified);
    for (const alg of ['PS256', 'RS512']) {
      const idToken = await provider.sign(claims(), { alg });
      await expect(sharedVerifier.identify({ idToken, nonce: NONCE })).rejects.toEqual(invalidLogin);
    }
  });

  it.each([
    ['for another client', () => claims({ aud: 'another' })],
    ['for another client beside ours', () => claims({ aud: [CLIENT, 'another'] })],
    ['for an empty audience', () => claims({ aud: [] })],
    ['requested by another client', () => claims({ azp: 'another' })],
    ['of another issuer', () => claims({ iss: 'https://accounts.example.com' })],
    ['of an issuer without its scheme', () => claims({ iss: provider.issuer.replace('http://', '') })],
    ['that has expired', () => claims({ iat: now() - 7_200, exp: now() - 60 })],
    ['that is not yet valid', () => claims({ nbf: now() + 120 })],
    ['issued in the future', () => claims({ iat: now() + 120 })],
    ['issued more than 24 hours ago', () => claims({ iat: now() - 100_000 })],
    ['without an expiry', () => without('exp')],
    ['without an issue time', () => without('iat')],
    ['without a user', () => without('sub')],
    ['without an audience', () => without('aud')],
    ['without an issuer', () => without('iss')],
    ['with an empty user id', () => claims({ sub: '' })],
    ['with a user id that Postgres cannot store', () => claims({ sub: 'a\u0000' })],
  ])('is rejected %s, even with a valid signature', async (_what, makeClaims) => {
    const idToken = await provider.sign(makeClaims());
    await expect(verifier().identify({ idToken, nonce: NONCE })).rejects.toEqual(invalidLogin);
  });

  it('is rejected if it is malformed or too long', async () => {
    for (const idToken of ['', 'a.b.c', 'x'.repeat(20_000)]) {
      await expect(verifier().identify({ idToken, nonce: NONCE })).rejects.toEqual(invalidLogin);
    }
    const long = await provider.sign(claims({ more: 'x'.repeat(20_000) }));
    await expect(verifier().identify({ idToken: long, nonce: NONCE })).rejects.toEqual(invalidLogin);
  });

  it('may have one of our clients as audience and another one as authorized party', async () => {
    const ours = verifier({ clientIds: [CLIENT, 'client-of-the-phone'] });
    const idToken = await provider.sign(claims({ azp: 'client-of-the-phone' }));
    await expect(ours.identify({ idToken, nonce: NONCE })).resolves.toEqual(identified);
  });

  it('may have an `iss` without a scheme if the provider is configured with isSchemeOptional', async () => {
    const lenient = verifier({ isSchemeOptional: true });
    for (const iss of [provider.issuer, provider.issuer.replace('http://', '')]) {
      const idToken = await provider.sign(claims({ iss }));
      await expect(lenient.identify({ idToken, nonce: NONCE })).resolves.toEqual(identified);
    }
  });
});

describe('the nonce', () => {
  it('must be equal in the token and in the request', async () => {
    const idToken = await provider.idToken({ nonce: 'n-1' });
    await expect(verifier().identify({ idToken, nonce: 'n-1' })).resolves.toEqual(identified);
    await expect(verifier().identify({ idToken, nonce: 'n-2' })).rejects.toEqual(invalidLogin);
  });

  it('must not be missing in the token', async () => {
    const idToken = await provider.idToken();
    await expect(verifier().identify({ idToken, nonce: 'n-1' })).rejects.toEqual(invalidLogin);
  });

  it.each([undefined, ''])(
    'must not be missing in the request, even if the token has none: %j',
    async (nonce) => {
      for (const idToken of [await provider.idToken({ nonce: 'n-1' }), await provider.idToken()])
        await expect(verifier().identify({ idToken, nonce })).rejects.toMatchObject({
          code: 'validation_failed',
          details: [{ field: 'nonce', code: 'required' }],
        });
    },
  );
});

describe('the keys of the provider', () => {
  it('are requested once for any number of tokens', async () => {
    const sharedVerifier = verifier();
    const idToken = await provider.sign(claims());
    await Promise.all(Array.from({ length: 10 }, () => sharedVerifier.identify({ idToken, nonce: NONCE })));
    expect(provider.requestCounts['/.well-known/openid-configuration']).toBe(1);
    expect(provider.requestCounts['/jwks']).toBe(1);
  });

  it('are requested again for a new key; the old key is no longer valid', async () => {
    const sharedVerifier = verifierWithoutCooldown();
    const old = await provider.sign(claims());
    await sharedVerifier.identify({ idToken: old, nonce: NONCE });
    await provider.useKey('second', 'RS256');
    await expect(
      sharedVerifier.identify({ idToken: await provider.idToken({ nonce: NONCE }), nonce: NONCE }),
    ).resolves.toEqual(identified);
    await expect(sharedVerifier.identify({ idToken: old, nonce: NONCE })).rejects.toEqual(invalidLogin);
  });

  it('are not requested for every invented key id', async () => {
    const sharedVerifier = verifier();
    await sharedVerifier.identify({ idToken: await provider.sign(claims()), nonce: NONCE });
    for (const kid of ['a', 'b', 'c']) {
      const idToken = await provider.sign(claims(), { kid });
      await expect(sharedVerifier.identify({ idToken, nonce: NONCE })).rejects.toEqual(invalidLogin);
    }
    expect(provider.requestCounts['/jwks']).toBe(1);
  });
});

describe('a provider that fails', () => {
  const discovery = '/.well-known/openid-configuration';
  const respondTo =
    (
      path: string,
      reply: { status?: number; body?: string; headers?: Record<string, string> },
    ): typeof provider.override =>
    (request, response) => {
      if (request.url !== path) return false;
      response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
      return true;
    };

  it.each([
    ['an error response', discovery, { status: 500 }],
    ['an error response for its keys', '/jwks', { status: 500 }],
    ['a discovery document that is not JSON', discovery, { body: '<html>' }],
    ['keys that are not a list', '/jwks', { body: '{"keys": 1}' }],
    [
      'a discovery document that is too long',
      discovery,
      { body: JSON.stringify({ more: 'x'.repeat(70_000) }) },
    ],
    ['keys that are too long', '/jwks', { body: JSON.stringify({ keys: [], more: 'x'.repeat(70_000) }) }],
    ['a redirect', discovery, { status: 302, headers: { location: '/elsewhere' } }],
    ['a redirect for its keys', '/jwks', { status: 302, headers: { location: '/elsewhere' } }],
    [
      'the discovery document of another issuer',
      discovery,
      { body: '{"issuer": "https://example.com", "jwks_uri": "https://example.com/jwks"}' },
    ],
  ])('with %s causes service_unavailable', async (_what, path, reply) => {
    const sharedVerifier = verifier();
    const idToken = await provider.sign(claims());
    provider.override = respondTo(path, reply);
    await expect(sharedVerifier.identify({ idToken, nonce: NONCE })).rejects.toEqual(unavailable);
    expect(provider.requestCounts['/elsewhere']).toBeUndefined();
    provider.override = undefined;
    await expect(sharedVerifier.identify({ idToken, nonce: NONCE })).resolves.toEqual(identified);
  });

  it('without a response times out', async () => {
    const sharedVerifier = new OpenIdTokenVerifier(providerSettings(), { timeoutMs: 50 });
    provider.override = () => true;
    await expect(
      sharedVerifier.identify({ idToken: await provider.sign(claims()), nonce: NONCE }),
    ).rejects.toEqual(unavailable);
  });

  it('that stalls within its response times out', async () => {
    const sharedVerifier = new OpenIdTokenVerifier(providerSettings(), { timeoutMs: 50 });
    provider.override = (_, response) => response.writeHead(200).write('{"issuer":');
    await expect(
      sharedVerifier.identify({ idToken: await provider.sign(claims()), nonce: NONCE }),
    ).rejects.toEqual(unavailable);
  });

  it('that refuses connections causes service_unavailable', async () => {
    const sharedVerifier = verifier();
    const idToken = await provider.sign(claims());
    await provider.stop();
    await expect(sharedVerifier.identify({ idToken, nonce: NONCE })).rejects.toEqual(unavailable);
    provider = await LocalProvider.start(PERSON);
  });
});
