import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Actor } from '../../operations/index.js';

import type { SignInResult } from '../sign-in.service.js';
import { SignInUnderTest } from '../testing/sign-in-under-test.js';
import { type ProviderIdentity, ProviderSignInService } from './provider-sign-in.service.js';

let env: SignInUnderTest;
let services: ReturnType<SignInUnderTest['createServices']>;
let providers: ProviderSignInService;
beforeAll(async () => {
  env = await SignInUnderTest.open();
  services = env.createServices();
  providers = new ProviderSignInService(services);
});
afterAll(() => env.close());

const newIdentity = (more: Partial<ProviderIdentity> = {}): ProviderIdentity => ({
  provider: 'google',
  subject: randomBytes(8).toString('hex'),
  emailVerified: false,
  ...more,
});

/** Returns the id of the user of the issued tokens. */
async function userOf(signedIn: SignInResult): Promise<string> {
  if (signedIn.kind !== 'tokens') throw new Error('a second factor is required');
  return (await services.sessions.verify(signedIn.tokens.accessToken)).userId;
}

const signInUser = async (identity: ProviderIdentity, actor: Actor | null = null) =>
  userOf(await providers.signIn(actor, identity));
const user = (id: string) =>
  env.core.row('SELECT email, email_verified_at, pending_email FROM users WHERE id = $1', id);
const countUsers = async () => (await env.core.row('SELECT count(*)::int AS count FROM users')).count;

describe('a new identity at a provider', () => {
  it('opens an account, and later signs in to the same account', async () => {
    const identity = newIdentity();
    const opened = await signInUser(identity);
    expect(await signInUser(identity)).toBe(opened);
    expect(await signInUser(newIdentity())).not.toBe(opened);
  });

  it('opens another account than the same subject at another provider', async () => {
    const identity = newIdentity();
    expect(await signInUser({ ...identity, provider: 'apple' })).not.toBe(await signInUser(identity));
  });

  it('gives its new account an e-mail address only if the provider verified the address', async () => {
    const verified = await signInUser(newIdentity({ email: 'known@example.com', emailVerified: true }));
    expect(await user(verified)).toEqual({
      email: 'known@example.com',
      email_verified_at: expect.any(Date),
      pending_email: null,
    });
    const claimed = await signInUser(newIdentity({ email: 'claimed@example.com' }));
    expect(await user(claimed)).toEqual({ email: null, email_verified_at: null, pending_email: null });
  });

  it('gives no access to an existing account with the same address, even if the address is verified there', async () => {
    const email = 'owner@example.com';
    const owner = await signInUser(newIdentity({ email, emailVerified: true }));
    const registered = await env.register(email, 'correct horse battery');
    const { userId: passwordUser } = await services.sessions.verify(registered.accessToken);
    const other = await signInUser(newIdentity({ email, emailVerified: true, provider: 'apple' }));
    expect([owner, passwordUser]).not.toContain(other);
  });

  it('opens one account for eight concurrent sign-ins', async () => {
    const identity = newIdentity();
    const before = await countUsers();
    const users = await Promise.all(Array.from({ length: 8 }, () => signInUser(identity)));
    expect(new Set(users).size).toBe(1);
    expect(await countUsers()).toBe(Number(before) + 1);
  });

  it('is rejected if registration is closed, without consuming its proof; a linked identity may still sign in', async () => {
    const closed = new ProviderSignInService(env.createServices({ isRegistrationOpen: false }));
    const identity = newIdentity({
      proof: { hash: randomBytes(32), expiresAt: new Date(Date.now() + 60_000) },
    });
    await expect(closed.signIn(null, identity)).rejects.toMatchObject({ code: 'permission_denied' });
    const opened = await signInUser(identity);
    expect(await userOf(await closed.signIn(null, { ...identity, proof: undefined }))).toBe(opened);
  });
});

describe('a credential in addition to the identity', () => {
  it('links the identity to its account; a repetition changes nothing', async () => {
    const actor = await env.core.actor();
    const identity = newIdentity();
    expect(await signInUser(identity, actor)).toBe(actor.userId);
    expect(await signInUser(identity, actor)).toBe(actor.userId);
    expect(await signInUser(identity)).toBe(actor.userId);
  });

  it('cannot take an identity from another account', async () => {
    const identity = newIdentity();
    const owner = await signInUser(identity);
    const attempt = providers.signIn(await env.core.actor(), identity);
    await expect(attempt).rejects.toMatchObject({ code: 'already_exists' });
    expect(await signInUser(identity)).toBe(owner);
  });

  it('links the identity to only one of two accounts that try concurrently', async () => {
    const identity = newIdentity();
    const actors = await Promise.all([env.core.actor(), env.core.actor()]);
    const outcomes = await Promise.allSettled(actors.map((actor) => signInUser(identity, actor)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'already_exists' },
    });
  });

  it('must have ADMIN', async () => {
    const attempt = providers.signIn(await env.core.actor('READ', 'TRADE'), newIdentity());
    await expect(attempt).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('cannot link the identity after the credential was revoked', async () => {
    const actor = await env.createActor();
    await services.sessions.revoke(actor);
    const identity = newIdentity();
    await expect(providers.signIn(actor, identity)).rejects.toMatchObject({ code: 'invalid_access_token' });
    expect(await signInUser(identity)).not.toBe(actor.userId);
  });
});

describe('a single-use proof', () => {
  const proof = (expiresAt = new Date(Date.now() + 60_000)) => ({ hash: randomBytes(32), expiresAt });

  it('is accepted once, even if a later request carries a credential in addition', async () => {
    const identity = newIdentity({ provider: 'telegram', proof: proof() });
    await signInUser(identity);
    await expect(providers.signIn(null, identity)).rejects.toMatchObject({ code: 'invalid_login' });
    const attempt = providers.signIn(await env.core.actor(), identity);
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_login' });
  });

  it('is accepted for one of several concurrent requests', async () => {
    const identity = newIdentity({ provider: 'telegram', proof: proof() });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => signInUser(identity)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'invalid_login' });
    }
  });

  it('is not consumed if the sign-in is rejected', async () => {
    const identity = newIdentity({ provider: 'telegram' });
    const owner = await signInUser(identity);
    const proved = { ...identity, proof: proof() };
    const attempt = providers.signIn(await env.core.actor(), proved);
    await expect(attempt).rejects.toMatchObject({ code: 'already_exists' });
    expect(await signInUser(proved)).toBe(owner);
  });
});

describe('a user with a second factor', () => {
  it('gets a ticket instead of tokens, and exchanges it with a code for tokens', async () => {
    const identity = newIdentity();
    const opened = await providers.signIn(null, identity);
    if (opened.kind !== 'tokens') throw new Error('no tokens');
    const actor = await services.sessions.verify(opened.tokens.accessToken);
    const { secret } = await services.secondFactor.generate(actor);
    const codeNow = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: env.nowMs });
    await services.secondFactor.enable(actor, codeNow());
    const signedIn = await providers.signIn(null, identity);
    if (signedIn.kind !== 'ticket') throw new Error('no ticket');
    env.nowMs += 30_000;
    const tokens = await services.secondFactor.verify(signedIn.ticket, codeNow());
    expect((await services.sessions.verify(tokens.accessToken)).userId).toBe(actor.userId);
  });
});
