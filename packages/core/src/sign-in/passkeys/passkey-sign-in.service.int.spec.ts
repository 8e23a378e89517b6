import { encodeId } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { Secret, TOTP } from 'otpauth';
import type { Actor } from '../../operations/index.js';

import { SignInUnderTest } from '../testing/sign-in-under-test.js';
import { type AuthenticatorOverrides, VirtualAuthenticator } from '../testing/virtual-authenticator.js';
import { PasskeySignInService } from './passkey-sign-in.service.js';

const RP_ID = 'example.com';
const ORIGIN = 'https://app.example.com';
const OPTIONS = { rpId: RP_ID, rpName: 'The product', origins: [ORIGIN, 'https://example.com'] };

let env: SignInUnderTest;
let services: ReturnType<SignInUnderTest['createServices']>;
let passkeys: PasskeySignInService;
beforeAll(async () => {
  env = await SignInUnderTest.open();
  services = env.createServices();
  passkeys = new PasskeySignInService({ ...services, options: OPTIONS });
});
afterAll(() => env.close());

const authenticator = (isCounting = true) =>
  new VirtualAuthenticator({ origin: ORIGIN, rpId: RP_ID, isCounting });

/** Registers a passkey for `owner`, or for a new user. Returns the user and the authenticator. */
async function registerDevice(isCounting = true, owner?: Actor) {
  const actor = owner ?? (await env.core.actor());
  const device = authenticator(isCounting);
  await passkeys.register(actor, device.create(await passkeys.registrationOptions(actor)));
  return { actor, device };
}

async function userOf(response: unknown): Promise<string> {
  const signedIn = await passkeys.login(response);
  if (signedIn.kind !== 'tokens') throw new Error('a second factor is required');
  return (await services.sessions.verify(signedIn.tokens.accessToken)).userId;
}

const LOGIN_REJECTED = { code: 'invalid_login' };
const REGISTRATION_REJECTED = { code: 'validation_failed', details: [{ field: 'response' }] };
const countOf = async ({ userId }: Actor) =>
  (await env.core.row('SELECT count(*)::int AS count FROM passkeys WHERE user_id = $1', userId)).count;
const expireChallenges = () =>
  env.core.rows("UPDATE passkey_challenges SET expires_at = clock_timestamp() - interval '1 second'");

/** Overrides that make a response of either ceremony invalid. */
const INVALID_RESPONSES: [string, AuthenticatorOverrides][] = [
  ['is from another origin', { origin: 'https://app.example.com.evil.com' }],
  ['is from the origin with plain HTTP', { origin: 'http://app.example.com' }],
  ['was created in a frame of another page', { crossOrigin: true }],
  ['is for another domain', { rpId: 'evil.com' }],
  ['does not verify the user', { isUserVerified: false }],
  ['answers a challenge that the database cannot store', { challenge: 'a\u0000b' }],
  ['answers a challenge that was never issued', { challenge: Buffer.alloc(32).toString('base64url') }],
];

describe('registering a passkey', () => {
  it('requires an authenticator that verifies its user and that itself stores the passkey', async () => {
    const actor = await env.core.actor();
    const options = await passkeys.registrationOptions(actor);
    expect(options).toMatchObject({
      rp: { id: RP_ID, name: 'The product' },
      user: { name: encodeId('usr', actor.userId) },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      timeout: 300_000,
      excludeCredentials: [],
    });
    expect(Buffer.from(options.challenge, 'base64url').length).toBeGreaterThanOrEqual(32);
  });

  it('shows the user’s e-mail address in the options, and excludes the user’s existing passkeys', async () => {
    const { actor, device } = await registerDevice();
    await env.core.rows("UPDATE users SET email = 'me@example.com' WHERE id = $1", actor.userId);
    const options = await passkeys.registrationOptions(actor);
    expect(options.user.name).toBe('me@example.com');
    expect(options.excludeCredentials).toEqual([
      { id: device.credentialId.toString('base64url'), type: 'public-key', transports: ['internal'] },
    ]);
  });

  it('adds a passkey that can sign in', async () => {
    const { actor, device } = await registerDevice();
    expect(await userOf(device.get(await passkeys.loginOptions()))).toBe(actor.userId);
  });

  it.each(INVALID_RESPONSES)('is rejected if the response %s', async (_case, overrides) => {
    const actor = await env.core.actor();
    const response = authenticator().create(await passkeys.registrationOptions(actor), overrides);
    await expect(passkeys.register(actor, response)).rejects.toMatchObject(REGISTRATION_REJECTED);
    expect(await countOf(actor)).toBe(0);
  });

  it('is rejected if the response or its challenge is from a sign-in', async () => {
    const actor = await env.core.actor();
    const wrongType = authenticator().create(await passkeys.registrationOptions(actor), {
      type: 'webauthn.get',
    });
    await expect(passkeys.register(actor, wrongType)).rejects.toMatchObject(REGISTRATION_REJECTED);
    const { challenge } = await passkeys.loginOptions();
    const wrongChallenge = authenticator().create({ challenge, user: { id: 'AA' } });
    await expect(passkeys.register(actor, wrongChallenge)).rejects.toMatchObject(REGISTRATION_REJECTED);
  });

  it("is rejected if the response answers another user's challenge", async () => {
    const [actor, other] = [await env.core.actor(), await env.core.actor()];
    const response = authenticator().create(await passkeys.registrationOptions(other));
    await expect(passkeys.register(actor, response)).rejects.toMatchObject(REGISTRATION_REJECTED);
  });

  it('accepts no second response to a challenge after the first response was rejected', async () => {
    const actor = await env.core.actor();
    const options = await passkeys.registrationOptions(actor);
    const bad = authenticator().create(options, { isUserVerified: false });
    await expect(passkeys.register(actor, bad)).rejects.toMatchObject(REGISTRATION_REJECTED);
    const good = authenticator().create(options);
    await expect(passkeys.register(actor, good)).rejects.toMatchObject(REGISTRATION_REJECTED);
  });

  it('is rejected if the challenge is more than five minutes old', async () => {
    const actor = await env.core.actor();
    const options = await passkeys.registrationOptions(actor);
    await expireChallenges();
    const response = authenticator().create(options);
    await expect(passkeys.register(actor, response)).rejects.toMatchObject(REGISTRATION_REJECTED);
  });

  it('is rejected if the passkey belongs to another account', async () => {
    const { device } = await registerDevice();
    const other = await env.core.actor();
    const again = device.create(await passkeys.registrationOptions(other));
    await expect(passkeys.register(other, again)).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('is rejected if the account has twenty passkeys, even with concurrent requests', async () => {
    const actor = await env.core.actor();
    await env.core.rows(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports)
       SELECT gen_random_uuid(), $1, uuid_send(gen_random_uuid()), '', 0, '{}' FROM generate_series(1, 18)`,
      actor.userId,
    );
    const options = [];
    for (let i = 0; i < 5; i++) options.push(await passkeys.registrationOptions(actor));
    const outcomes = await Promise.allSettled(
      options.map((challengeOptions) => passkeys.register(actor, authenticator().create(challengeOptions))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await countOf(actor)).toBe(20);
    await expect(passkeys.registrationOptions(actor)).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('requires a valid credential with ADMIN', async () => {
    const actorWithoutAdmin = await env.core.actor('READ', 'TRADE');
    await expect(passkeys.registrationOptions(actorWithoutAdmin)).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await expect(passkeys.register(actorWithoutAdmin, {})).rejects.toMatchObject({
      code: 'permission_denied',
    });
    const actor = await env.createActor();
    const response = authenticator().create(await passkeys.registrationOptions(actor));
    await services.sessions.revoke(actor);
    await expect(passkeys.register(actor, response)).rejects.toMatchObject({ code: 'invalid_access_token' });
    expect(await countOf(actor)).toBe(0);
  });

  it.each([
    ['null', null],
    ['an empty object', {}],
    ['a response that is not a credential', { id: 'AA', rawId: 'AA', type: 'public-key', response: {} }],
    [
      'malformed client data and attestation',
      {
        id: 'AA',
        rawId: 'AA',
        type: 'public-key',
        response: { clientDataJSON: 'AA', attestationObject: 'AA' },
      },
    ],
  ])('is rejected for %s', async (_case, response) => {
    const actor = await env.core.actor();
    await expect(passkeys.register(actor, response)).rejects.toMatchObject(REGISTRATION_REJECTED);
  });

  it('is rejected if the attestation is malformed or forged', async () => {
    const actor = await env.core.actor();
    const response = authenticator().create(await passkeys.registrationOptions(actor));
    const broken = { ...response, response: { ...response.response, attestationObject: 'AAAA' } };
    await expect(passkeys.register(actor, broken)).rejects.toMatchObject(REGISTRATION_REJECTED);
    const options = await passkeys.registrationOptions(actor);
    const forged = authenticator().create(options, { hasForgedAttestation: true });
    await expect(passkeys.register(actor, forged)).rejects.toMatchObject(REGISTRATION_REJECTED);
  });
});

describe('signing in with a passkey', () => {
  it('does not name a user in its options', async () => {
    const options = await passkeys.loginOptions();
    expect(options).toMatchObject({ rpId: RP_ID, userVerification: 'required', timeout: 300_000 });
    expect(options.allowCredentials ?? []).toEqual([]);
  });

  it('is possible from each configured origin', async () => {
    const { actor, device } = await registerDevice();
    const response = device.get(await passkeys.loginOptions(), { origin: 'https://example.com' });
    expect(await userOf(response)).toBe(actor.userId);
  });

  it.each(INVALID_RESPONSES)('is rejected if the response %s', async (_case, overrides) => {
    const { device } = await registerDevice();
    const response = device.get(await passkeys.loginOptions(), overrides);
    await expect(passkeys.login(response)).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('is rejected if another passkey signed the response', async () => {
    const [{ device }, { device: other }] = [await registerDevice(), await registerDevice()];
    const response = device.get(await passkeys.loginOptions());
    const { id } = other.get(await passkeys.loginOptions());
    await expect(passkeys.login({ ...response, id, rawId: id })).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('is rejected if the authenticator reports another user', async () => {
    const { device } = await registerDevice();
    const { actor } = await registerDevice();
    const userHandle = Buffer.from(actor.userId.replaceAll('-', ''), 'hex').toString('base64url');
    const response = device.get(await passkeys.loginOptions(), { userHandle });
    await expect(passkeys.login(response)).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('is rejected if the signature belongs to another response', async () => {
    const { device } = await registerDevice();
    const response = device.get(await passkeys.loginOptions());
    const { signature } = device.get(await passkeys.loginOptions()).response;
    const forged = { ...response, response: { ...response.response, signature } };
    await expect(passkeys.login(forged)).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('is rejected if the response or its challenge is from a registration', async () => {
    const { actor, device } = await registerDevice();
    const wrongType = device.get(await passkeys.loginOptions(), { type: 'webauthn.create' });
    await expect(passkeys.login(wrongType)).rejects.toMatchObject(LOGIN_REJECTED);
    const wrongChallenge = device.get(await passkeys.registrationOptions(actor));
    await expect(passkeys.login(wrongChallenge)).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('accepts a response once, even concurrently', async () => {
    // Without a counter, so that only the challenge can prevent the second use of the response.
    const { device } = await registerDevice(false);
    const response = device.get(await passkeys.loginOptions());
    const outcomes = await Promise.allSettled([passkeys.login(response), passkeys.login(response)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(passkeys.login(response)).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('rejects a second response to a challenge after the first response was rejected', async () => {
    const { device } = await registerDevice();
    const options = await passkeys.loginOptions();
    const bad = device.get(options, { isUserVerified: false });
    await expect(passkeys.login(bad)).rejects.toMatchObject(LOGIN_REJECTED);
    await expect(passkeys.login(device.get(options))).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('is rejected if the challenge is more than five minutes old', async () => {
    const { device } = await registerDevice();
    const options = await passkeys.loginOptions();
    await expireChallenges();
    await expect(passkeys.login(device.get(options))).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('is rejected if the response is empty or malformed', async () => {
    for (const response of [null, {}, { id: 'AA', rawId: 'AA', type: 'public-key', response: {} }]) {
      await expect(passkeys.login(response)).rejects.toMatchObject(LOGIN_REJECTED);
    }
  });

  it('requires no second factor, because the passkey verified its user', async () => {
    const { actor, device } = await registerDevice();
    const { secret } = await services.secondFactor.generate(actor);
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: env.nowMs });
    await services.secondFactor.enable(actor, code);
    expect(await userOf(device.get(await passkeys.loginOptions()))).toBe(actor.userId);
  });
});

describe('the counter of a passkey', () => {
  it('must increase: a passkey with an old count is rejected as a copy', async () => {
    const { actor, device } = await registerDevice();
    const login = async (counter: number) => userOf(device.get(await passkeys.loginOptions(), { counter }));
    expect(await login(10)).toBe(actor.userId);
    for (const counter of [10, 9, 0]) await expect(login(counter)).rejects.toMatchObject(LOGIN_REJECTED);
    expect(await login(11)).toBe(actor.userId);
  });

  it('is accepted in only one of two concurrent responses with the same count', async () => {
    const { device } = await registerDevice();
    const options = await Promise.all([passkeys.loginOptions(), passkeys.loginOptions()]);
    const outcomes = await Promise.allSettled(
      options.map((challengeOptions) => passkeys.login(device.get(challengeOptions, { counter: 50 }))),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('may stay 0 in every response', async () => {
    const { actor, device } = await registerDevice(false);
    for (let i = 0; i < 2; i++) {
      expect(await userOf(device.get(await passkeys.loginOptions()))).toBe(actor.userId);
    }
  });
});

describe('removing a passkey', () => {
  it('prevents sign-ins with it', async () => {
    const { actor, device } = await registerDevice();
    await passkeys.remove(actor, device.credentialId.toString('base64url'));
    const response = device.get(await passkeys.loginOptions());
    await expect(passkeys.login(response)).rejects.toMatchObject(LOGIN_REJECTED);
  });

  it('requires a passkey of the actor, and a valid credential with ADMIN', async () => {
    const { actor, device } = await registerDevice();
    const id = device.credentialId.toString('base64url');
    const other = await env.core.actor();
    await expect(passkeys.remove(other, id)).rejects.toMatchObject({ code: 'not_found' });
    const { credential } = await env.core.actor('READ');
    const actorWithoutAdmin = { userId: actor.userId, credential: { ...credential, id: newUuid() } };
    await expect(passkeys.remove(actorWithoutAdmin, id)).rejects.toMatchObject({ code: 'permission_denied' });
    const tokens = await env.createSession(actor.userId);
    const revoked = await services.sessions.verify(tokens.accessToken);
    await services.sessions.revoke(revoked);
    await expect(passkeys.remove(revoked, id)).rejects.toMatchObject({ code: 'invalid_access_token' });
    expect(await userOf(device.get(await passkeys.loginOptions()))).toBe(actor.userId);
  });
});

describe('a deployment without passkeys', () => {
  it('rejects registration and sign-in with a message that passkeys are not offered', async () => {
    const withoutPasskeys = new PasskeySignInService({ ...services, options: undefined });
    const actor = await env.core.actor();
    const rejection = {
      code: 'permission_denied',
      message: 'Sign-in by passkeys is not offered by this deployment.',
    };
    await expect(withoutPasskeys.registrationOptions(actor)).rejects.toMatchObject(rejection);
    await expect(withoutPasskeys.register(actor, {})).rejects.toMatchObject(rejection);
    await expect(withoutPasskeys.loginOptions()).rejects.toMatchObject(rejection);
    await expect(withoutPasskeys.login({})).rejects.toMatchObject(rejection);
  });
});
