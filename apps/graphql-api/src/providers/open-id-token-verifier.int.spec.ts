import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { CLIENT, LocalProvider } from '../../test/local-provider.js';
import { type OpenIdProvider, OpenIdTokenVerifier } from './open-id-token-verifier.js';

const PERSON = { id: 'person-7', email: 'seven@example.com', emailVerified: true };

let provider: LocalProvider;
beforeEach(async () => {
  provider = await LocalProvider.start(PERSON);
});
afterEach(() => provider.stop());

const told = (more: Partial<OpenIdProvider> = {}): OpenIdProvider => ({
  name: 'google',
  label: 'The provider',
  issuer: provider.issuer,
  clientIds: [CLIENT],
  ...more,
});
const verifier = (more: Partial<OpenIdProvider> = {}) => new OpenIdTokenVerifier(told(more));
/** One that may ask for unknown keys at once. */
const eager = () => new OpenIdTokenVerifier(told(), { keysCooldownMs: 0 });

const now = () => Math.floor(Date.now() / 1_000);
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: provider.issuer,
  aud: CLIENT,
  sub: PERSON.id,
  iat: now(),
  exp: now() + 3_600,
  ...more,
});
const without = (name: string): JWTPayload => {
  const { [name]: _, ...rest } = claims();
  return rest;
};

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const identified = expect.objectContaining({ subject: PERSON.id });
const refusal = expect.objectContaining({ code: 'invalid_login' });
const failure = expect.objectContaining({ code: 'service_unavailable' });

describe('an ID token', () => {
  it('of a real sign-in says who its user is, with the address that the provider verified', async () => {
    const identity = await verifier().identify({ idToken: await provider.idToken() });
    expect(identity).toEqual({
      provider: 'google',
      subject: PERSON.id,
      email: PERSON.email,
      emailVerified: true,
    });
  });

  it('is taken with RS256 and with ES256', async () => {
    await expect(verifier().identify({ idToken: await provider.idToken() })).resolves.toEqual(identified);
    await provider.useKey('second', 'ES256');
    await expect(verifier().identify({ idToken: await provider.idToken() })).resolves.toEqual(identified);
  });

  it('says of an address that is not verified that it is not, in the words of any provider', async () => {
    for (const [said, emailVerified] of [
      [false, false],
      ['false', false],
      [undefined, false],
      ['true', true],
      [true, true],
    ] as const) {
      const idToken = await provider.sign(claims({ email: 'a@example.com', email_verified: said }));
      await expect(verifier().identify({ idToken })).resolves.toMatchObject({ emailVerified });
    }
  });

  it('with an address that can not be one is of a user without an address', async () => {
    for (const email of ['somebody', 'a@example.com\u0000', `${'a'.repeat(300)}@example.com`, 7]) {
      const idToken = await provider.sign(claims({ email, email_verified: true }));
      const { email: taken } = await verifier().identify({ idToken });
      expect(taken).toBeUndefined();
    }
  });

  it('is refused once it is changed', async () => {
    const idToken = await provider.idToken();
    const [header, payload = '', signature] = idToken.split('.');
    const forged = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'somebody' };
    const attempt = verifier().identify({ idToken: [header, encoded(forged), signature].join('.') });
    await expect(attempt).rejects.toEqual(refusal);
  });

  it('is refused where another key signed it under the name of the published one', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const idToken = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: 'first' })
      .sign(privateKey);
    await expect(verifier().identify({ idToken })).rejects.toEqual(refusal);
  });

  it('is refused where it brings its own key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = publicKey.export({ format: 'jwk' });
    const idToken = await new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', jwk }).sign(privateKey);
    await expect(verifier().identify({ idToken })).rejects.toEqual(refusal);
  });

  it('is refused without a signature, and with the public key as a shared secret', async () => {
    const unsigned = `${encoded({ alg: 'none' })}.${encoded(claims())}.`;
    await expect(verifier().identify({ idToken: unsigned })).rejects.toEqual(refusal);
    const shared = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(Buffer.from(provider.publicKeyPem()));
    await expect(verifier().identify({ idToken: shared })).rejects.toEqual(refusal);
  });

  it('is refused with another algorithm of the same key, where the provider names none for it', async () => {
    provider.instead = (request, response) => {
      if (request.url !== '/jwks') return false;
      const jwk = createPublicKey(provider.publicKeyPem()).export({ format: 'jwk' });
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'first' }] }));
      return true;
    };
    const one = verifier();
    await expect(one.identify({ idToken: await provider.sign(claims()) })).resolves.toEqual(identified);
    for (const alg of ['PS256', 'RS512']) {
      const idToken = await provider.sign(claims(), { alg });
      await expect(one.identify({ idToken })).rejects.toEqual(refusal);
    }
  });

  it.each([
    ['for another client', () => claims({ aud: 'another' })],
    ['for another client beside ours', () => claims({ aud: [CLIENT, 'another'] })],
    ['for nobody', () => claims({ aud: [] })],
    ['asked for by another client', () => claims({ azp: 'another' })],
    ['of another issuer', () => claims({ iss: 'https://accounts.example.com' })],
    ['of an issuer without its scheme', () => claims({ iss: provider.issuer.replace('http://', '') })],
    ['that is over', () => claims({ iat: now() - 7_200, exp: now() - 60 })],
    ['that is not yet', () => claims({ nbf: now() + 120 })],
    ['made in the future', () => claims({ iat: now() + 120 })],
    ['of the day before yesterday', () => claims({ iat: now() - 100_000 })],
    ['without an end', () => without('exp')],
    ['without a beginning', () => without('iat')],
    ['without a user', () => without('sub')],
    ['without an audience', () => without('aud')],
    ['without an issuer', () => without('iss')],
    ['of a user without a name', () => claims({ sub: '' })],
    ['of a user whose name is no text of a database', () => claims({ sub: 'a\u0000' })],
  ])('is refused %s, whoever signed it', async (_what, made) => {
    const idToken = await provider.sign(made());
    await expect(verifier().identify({ idToken })).rejects.toEqual(refusal);
  });

  it('is refused where it is no token, or a long one', async () => {
    for (const idToken of ['', 'a.b.c', 'x'.repeat(20_000)]) {
      await expect(verifier().identify({ idToken })).rejects.toEqual(refusal);
    }
    const long = await provider.sign(claims({ more: 'x'.repeat(20_000) }));
    await expect(verifier().identify({ idToken: long })).rejects.toEqual(refusal);
  });

  it('may be for any client of ours, asked for by any other', async () => {
    const ours = verifier({ clientIds: [CLIENT, 'client-of-the-phone'] });
    const idToken = await provider.sign(claims({ azp: 'client-of-the-phone' }));
    await expect(ours.identify({ idToken })).resolves.toEqual(identified);
  });

  it('may name an issuer without its scheme only where the provider does so', async () => {
    const lenient = verifier({ isSchemeOptional: true });
    for (const iss of [provider.issuer, provider.issuer.replace('http://', '')]) {
      const idToken = await provider.sign(claims({ iss }));
      await expect(lenient.identify({ idToken })).resolves.toEqual(identified);
    }
  });
});

describe('the nonce', () => {
  it('is the same in the token and beside it', async () => {
    const idToken = await provider.idToken({ nonce: 'n-1' });
    await expect(verifier().identify({ idToken, nonce: 'n-1' })).resolves.toEqual(identified);
    await expect(verifier().identify({ idToken, nonce: 'n-2' })).rejects.toEqual(refusal);
  });

  it('is not left out on either side', async () => {
    const withNonce = await provider.idToken({ nonce: 'n-1' });
    await expect(verifier().identify({ idToken: withNonce })).rejects.toEqual(refusal);
    const idToken = await provider.idToken();
    await expect(verifier().identify({ idToken, nonce: 'n-1' })).rejects.toEqual(refusal);
  });
});

describe('the keys of the provider', () => {
  it('are asked for once, however many tokens come', async () => {
    const one = verifier();
    const idToken = await provider.sign(claims());
    await Promise.all(Array.from({ length: 10 }, () => one.identify({ idToken })));
    expect(provider.requestCounts['/.well-known/openid-configuration']).toBe(1);
    expect(provider.requestCounts['/jwks']).toBe(1);
  });

  it('are asked for again when the provider has a new one; the old one is good no more', async () => {
    const one = eager();
    const old = await provider.sign(claims());
    await one.identify({ idToken: old });
    await provider.useKey('second', 'RS256');
    await expect(one.identify({ idToken: await provider.idToken() })).resolves.toEqual(identified);
    await expect(one.identify({ idToken: old })).rejects.toEqual(refusal);
  });

  it('are not asked for at the will of who invents names of keys', async () => {
    const one = verifier();
    await one.identify({ idToken: await provider.sign(claims()) });
    for (const kid of ['a', 'b', 'c']) {
      const idToken = await provider.sign(claims(), { kid });
      await expect(one.identify({ idToken })).rejects.toEqual(refusal);
    }
    expect(provider.requestCounts['/jwks']).toBe(1);
  });
});

describe('a provider that fails', () => {
  const discovery = '/.well-known/openid-configuration';
  const answering =
    (
      path: string,
      answer: { status?: number; body?: string; headers?: Record<string, string> },
    ): typeof provider.instead =>
    (request, response) => {
      if (request.url !== path) return false;
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
      return true;
    };

  it.each([
    ['errors', discovery, { status: 500 }],
    ['errors about its keys', '/jwks', { status: 500 }],
    ['nonsense', discovery, { body: '<html>' }],
    ['nonsense for keys', '/jwks', { body: '{"keys": 1}' }],
    ['too much', discovery, { body: JSON.stringify({ more: 'x'.repeat(70_000) }) }],
    ['too many keys', '/jwks', { body: JSON.stringify({ keys: [], more: 'x'.repeat(70_000) }) }],
    ['redirects', discovery, { status: 302, headers: { location: '/elsewhere' } }],
    ['redirects for keys', '/jwks', { status: 302, headers: { location: '/elsewhere' } }],
    [
      'the document of another',
      discovery,
      { body: '{"issuer": "https://example.com", "jwks_uri": "https://example.com/jwks"}' },
    ],
  ])('with %s makes the service unavailable, and no token good or bad', async (_what, path, answer) => {
    const one = verifier();
    const idToken = await provider.sign(claims());
    provider.instead = answering(path, answer);
    await expect(one.identify({ idToken })).rejects.toEqual(failure);
    expect(provider.requestCounts['/elsewhere']).toBeUndefined();
    provider.instead = undefined;
    await expect(one.identify({ idToken })).resolves.toEqual(identified);
  });

  it('by silence is not waited for', async () => {
    const one = new OpenIdTokenVerifier(told(), { timeoutMs: 50 });
    provider.instead = () => true;
    await expect(one.identify({ idToken: await provider.sign(claims()) })).rejects.toEqual(failure);
  });

  it('by silence in the middle of its answer is not waited for either', async () => {
    const one = new OpenIdTokenVerifier(told(), { timeoutMs: 50 });
    provider.instead = (_, response) => response.writeHead(200).write('{"issuer":');
    await expect(one.identify({ idToken: await provider.sign(claims()) })).rejects.toEqual(failure);
  });

  it('by not being there makes the service unavailable', async () => {
    const one = verifier();
    const idToken = await provider.sign(claims());
    await provider.stop();
    await expect(one.identify({ idToken })).rejects.toEqual(failure);
    provider = await LocalProvider.start(PERSON);
  });
});
