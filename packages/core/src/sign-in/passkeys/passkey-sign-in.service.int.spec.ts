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

let under: SignInUnderTest;
let process: ReturnType<SignInUnderTest['createServices']>;
let passkeys: PasskeySignInService;
beforeAll(async () => {
  under = await SignInUnderTest.open();
  process = under.createServices();
  passkeys = new PasskeySignInService({ ...process, options: OPTIONS });
});
afterAll(() => under.close());

const authenticator = (isCounting = true) =>
  new VirtualAuthenticator({ origin: ORIGIN, rpId: RP_ID, isCounting });

/** A user with a passkey. */
async function registered(isCounting = true, owner?: Actor) {
  const actor = owner ?? (await under.core.actor());
  const device = authenticator(isCounting);
  await passkeys.register(actor, device.create(await passkeys.registrationOptions(actor)));
  return { actor, device };
}

async function userOf(answer: unknown): Promise<string> {
  const signedIn = await passkeys.login(answer);
  if (signedIn.kind !== 'tokens') throw new Error('a second factor is asked for');
  return (await process.sessions.verify(signedIn.tokens.accessToken)).userId;
}

const loginRefused = { code: 'invalid_login' };
const registrationRefused = { code: 'validation_failed', details: [{ field: 'response' }] };
const countOf = async ({ userId }: Actor) =>
  (await under.core.row('SELECT count(*)::int AS count FROM passkeys WHERE user_id = $1', userId)).count;
const expire = () =>
  under.core.rows("UPDATE passkey_challenges SET expires_at = clock_timestamp() - interval '1 second'");

/** Overrides that must fail in either ceremony. */
const BAD: [string, AuthenticatorOverrides][] = [
  ['from another origin', { origin: 'https://app.example.com.evil.com' }],
  ['from the origin in the clear', { origin: 'http://app.example.com' }],
  ['in a frame of another page', { crossOrigin: true }],
  ['for another domain', { rpId: 'evil.com' }],
  ['without its user verified', { isUserVerified: false }],
  ['to a challenge that no database takes', { challenge: 'a\u0000b' }],
  ['to a challenge that was never issued', { challenge: Buffer.alloc(32).toString('base64url') }],
];

describe('registering a passkey', () => {
  it('needs an authenticator that verifies its user and stores the passkey', async () => {
    const actor = await under.core.actor();
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

  it('shows the user their address, and excludes their existing passkeys', async () => {
    const { actor, device } = await registered();
    await under.core.rows("UPDATE users SET email = 'me@example.com' WHERE id = $1", actor.userId);
    const options = await passkeys.registrationOptions(actor);
    expect(options.user.name).toBe('me@example.com');
    expect(options.excludeCredentials).toEqual([
      { id: device.credentialId.toString('base64url'), type: 'public-key', transports: ['internal'] },
    ]);
  });

  it('adds a passkey that can sign in', async () => {
    const { actor, device } = await registered();
    expect(await userOf(device.get(await passkeys.loginOptions()))).toBe(actor.userId);
  });

  it.each(BAD)('is rejected %s', async (_what, said) => {
    const actor = await under.core.actor();
    const answer = authenticator().create(await passkeys.registrationOptions(actor), said);
    await expect(passkeys.register(actor, answer)).rejects.toMatchObject(registrationRefused);
    expect(await countOf(actor)).toBe(0);
  });

  it('is rejected with a response of the other ceremony, or to its challenge', async () => {
    const actor = await under.core.actor();
    const typed = authenticator().create(await passkeys.registrationOptions(actor), { type: 'webauthn.get' });
    await expect(passkeys.register(actor, typed)).rejects.toMatchObject(registrationRefused);
    const { challenge } = await passkeys.loginOptions();
    const crossed = authenticator().create({ challenge, user: { id: 'AA' } });
    await expect(passkeys.register(actor, crossed)).rejects.toMatchObject(registrationRefused);
  });

  it("is rejected with another user's challenge", async () => {
    const [actor, other] = [await under.core.actor(), await under.core.actor()];
    const answer = authenticator().create(await passkeys.registrationOptions(other));
    await expect(passkeys.register(actor, answer)).rejects.toMatchObject(registrationRefused);
  });

  it('accepts a challenge once, even after a rejection', async () => {
    const actor = await under.core.actor();
    const options = await passkeys.registrationOptions(actor);
    const bad = authenticator().create(options, { isUserVerified: false });
    await expect(passkeys.register(actor, bad)).rejects.toMatchObject(registrationRefused);
    const good = authenticator().create(options);
    await expect(passkeys.register(actor, good)).rejects.toMatchObject(registrationRefused);
  });

  it('is rejected after five minutes', async () => {
    const actor = await under.core.actor();
    const options = await passkeys.registrationOptions(actor);
    await expire();
    const answer = authenticator().create(options);
    await expect(passkeys.register(actor, answer)).rejects.toMatchObject(registrationRefused);
  });

  it('gives a passkey to one account', async () => {
    const { device } = await registered();
    const other = await under.core.actor();
    const again = device.create(await passkeys.registrationOptions(other));
    await expect(passkeys.register(other, again)).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('is possible twenty times, even concurrently', async () => {
    const actor = await under.core.actor();
    await under.core.rows(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports)
       SELECT gen_random_uuid(), $1, uuid_send(gen_random_uuid()), '', 0, '{}' FROM generate_series(1, 18)`,
      actor.userId,
    );
    const options = [];
    for (let i = 0; i < 5; i++) options.push(await passkeys.registrationOptions(actor));
    const outcomes = await Promise.allSettled(
      options.map((each) => passkeys.register(actor, authenticator().create(each))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await countOf(actor)).toBe(20);
    await expect(passkeys.registrationOptions(actor)).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('needs a valid credential with ADMIN', async () => {
    const weak = await under.core.actor('READ', 'TRADE');
    await expect(passkeys.registrationOptions(weak)).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(passkeys.register(weak, {})).rejects.toMatchObject({ code: 'permission_denied' });
    const actor = await under.actor();
    const answer = authenticator().create(await passkeys.registrationOptions(actor));
    await process.sessions.revoke(actor);
    await expect(passkeys.register(actor, answer)).rejects.toMatchObject({ code: 'invalid_access_token' });
    expect(await countOf(actor)).toBe(0);
  });

  it.each([
    ['nothing', null],
    ['no response', {}],
    ['a response that is not a credential', { id: 'AA', rawId: 'AA', type: 'public-key', response: {} }],
    [
      'nonsense in place of what was signed',
      {
        id: 'AA',
        rawId: 'AA',
        type: 'public-key',
        response: { clientDataJSON: 'AA', attestationObject: 'AA' },
      },
    ],
  ])('is rejected with %s', async (_what, answer) => {
    const actor = await under.core.actor();
    await expect(passkeys.register(actor, answer)).rejects.toMatchObject(registrationRefused);
  });

  it('is rejected if the attestation is malformed or forged', async () => {
    const actor = await under.core.actor();
    const answer = authenticator().create(await passkeys.registrationOptions(actor));
    const broken = { ...answer, response: { ...answer.response, attestationObject: 'AAAA' } };
    await expect(passkeys.register(actor, broken)).rejects.toMatchObject(registrationRefused);
    const options = await passkeys.registrationOptions(actor);
    const forged = authenticator().create(options, { hasForgedAttestation: true });
    await expect(passkeys.register(actor, forged)).rejects.toMatchObject(registrationRefused);
  });
});

describe('signing in with a passkey', () => {
  it('names no user', async () => {
    const options = await passkeys.loginOptions();
    expect(options).toMatchObject({ rpId: RP_ID, userVerification: 'required', timeout: 300_000 });
    expect(options.allowCredentials ?? []).toEqual([]);
  });

  it('is possible from each of our origins', async () => {
    const { actor, device } = await registered();
    const answer = device.get(await passkeys.loginOptions(), { origin: 'https://example.com' });
    expect(await userOf(answer)).toBe(actor.userId);
  });

  it.each(BAD)('is rejected %s', async (_what, said) => {
    const { device } = await registered();
    const answer = device.get(await passkeys.loginOptions(), said);
    await expect(passkeys.login(answer)).rejects.toMatchObject(loginRefused);
  });

  it('is rejected with a signature of another passkey', async () => {
    const [{ device }, { device: other }] = [await registered(), await registered()];
    const answer = device.get(await passkeys.loginOptions());
    const { id } = other.get(await passkeys.loginOptions());
    await expect(passkeys.login({ ...answer, id, rawId: id })).rejects.toMatchObject(loginRefused);
  });

  it('is rejected if the authenticator reports another user', async () => {
    const { device } = await registered();
    const { actor } = await registered();
    const userHandle = Buffer.from(actor.userId.replaceAll('-', ''), 'hex').toString('base64url');
    const answer = device.get(await passkeys.loginOptions(), { userHandle });
    await expect(passkeys.login(answer)).rejects.toMatchObject(loginRefused);
  });

  it('is rejected with a signature of something else', async () => {
    const { device } = await registered();
    const answer = device.get(await passkeys.loginOptions());
    const { signature } = device.get(await passkeys.loginOptions()).response;
    const forged = { ...answer, response: { ...answer.response, signature } };
    await expect(passkeys.login(forged)).rejects.toMatchObject(loginRefused);
  });

  it('is rejected with a response of the other ceremony, or to its challenge', async () => {
    const { actor, device } = await registered();
    const typed = device.get(await passkeys.loginOptions(), { type: 'webauthn.create' });
    await expect(passkeys.login(typed)).rejects.toMatchObject(loginRefused);
    const crossed = device.get(await passkeys.registrationOptions(actor));
    await expect(passkeys.login(crossed)).rejects.toMatchObject(loginRefused);
  });

  it('accepts a response once, even concurrently', async () => {
    const { device } = await registered(false);
    const answer = device.get(await passkeys.loginOptions());
    const outcomes = await Promise.allSettled([passkeys.login(answer), passkeys.login(answer)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(passkeys.login(answer)).rejects.toMatchObject(loginRefused);
  });

  it('accepts no second response to a challenge after a rejected one', async () => {
    const { device } = await registered();
    const options = await passkeys.loginOptions();
    const bad = device.get(options, { isUserVerified: false });
    await expect(passkeys.login(bad)).rejects.toMatchObject(loginRefused);
    await expect(passkeys.login(device.get(options))).rejects.toMatchObject(loginRefused);
  });

  it('is rejected after five minutes', async () => {
    const { device } = await registered();
    const options = await passkeys.loginOptions();
    await expire();
    await expect(passkeys.login(device.get(options))).rejects.toMatchObject(loginRefused);
  });

  it('is rejected without a response', async () => {
    for (const answer of [null, {}, { id: 'AA', rawId: 'AA', type: 'public-key', response: {} }]) {
      await expect(passkeys.login(answer)).rejects.toMatchObject(loginRefused);
    }
  });

  it('requires no other factor, because the passkey verified its user', async () => {
    const { actor, device } = await registered();
    const { secret } = await process.secondFactor.generate(actor);
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: under.nowMs });
    await process.secondFactor.enable(actor, code);
    expect(await userOf(device.get(await passkeys.loginOptions()))).toBe(actor.userId);
  });
});

describe('the counter of a passkey', () => {
  it('that does not increase is rejected as a copy', async () => {
    const { actor, device } = await registered();
    const login = async (counter: number) => userOf(device.get(await passkeys.loginOptions(), { counter }));
    expect(await login(10)).toBe(actor.userId);
    for (const counter of [10, 9, 0]) await expect(login(counter)).rejects.toMatchObject(loginRefused);
    expect(await login(11)).toBe(actor.userId);
  });

  it('lets one of two concurrent responses with the same count sign in', async () => {
    const { device } = await registered();
    const options = await Promise.all([passkeys.loginOptions(), passkeys.loginOptions()]);
    const outcomes = await Promise.allSettled(
      options.map((each) => passkeys.login(device.get(each, { counter: 50 }))),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('may always be 0', async () => {
    const { actor, device } = await registered(false);
    for (let i = 0; i < 2; i++) {
      expect(await userOf(device.get(await passkeys.loginOptions()))).toBe(actor.userId);
    }
  });
});

describe('a passkey that is removed', () => {
  it('can no longer sign in', async () => {
    const { actor, device } = await registered();
    await passkeys.remove(actor, device.credentialId.toString('base64url'));
    const answer = device.get(await passkeys.loginOptions());
    await expect(passkeys.login(answer)).rejects.toMatchObject(loginRefused);
  });

  it("must be the actor's own, and needs a valid credential with ADMIN", async () => {
    const { actor, device } = await registered();
    const id = device.credentialId.toString('base64url');
    const other = await under.core.actor();
    await expect(passkeys.remove(other, id)).rejects.toMatchObject({ code: 'not_found' });
    const { credential } = await under.core.actor('READ');
    const weak = { userId: actor.userId, credential: { ...credential, id: newUuid() } };
    await expect(passkeys.remove(weak, id)).rejects.toMatchObject({ code: 'permission_denied' });
    const tokens = await under.session(actor.userId);
    const revoked = await process.sessions.verify(tokens.accessToken);
    await process.sessions.revoke(revoked);
    await expect(passkeys.remove(revoked, id)).rejects.toMatchObject({ code: 'invalid_access_token' });
    expect(await userOf(device.get(await passkeys.loginOptions()))).toBe(actor.userId);
  });
});

describe('a deployment without passkeys', () => {
  it('rejects every ceremony with an explanation', async () => {
    const none = new PasskeySignInService({ ...process, options: undefined });
    const actor = await under.core.actor();
    const refusal = {
      code: 'permission_denied',
      message: 'Sign-in by passkeys is not offered by this deployment.',
    };
    await expect(none.registrationOptions(actor)).rejects.toMatchObject(refusal);
    await expect(none.register(actor, {})).rejects.toMatchObject(refusal);
    await expect(none.loginOptions()).rejects.toMatchObject(refusal);
    await expect(none.login({})).rejects.toMatchObject(refusal);
  });
});
