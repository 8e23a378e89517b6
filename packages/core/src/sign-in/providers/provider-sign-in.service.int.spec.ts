import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Actor } from '../../operations/index.js';

import type { SignInResult } from '../sign-in.service.js';
import { SignInUnderTest } from '../testing/sign-in-under-test.js';
import { type ProviderIdentity, ProviderSignInService } from './provider-sign-in.service.js';

let under: SignInUnderTest;
let process: ReturnType<SignInUnderTest['createServices']>;
let providers: ProviderSignInService;
beforeAll(async () => {
  under = await SignInUnderTest.open();
  process = under.createServices();
  providers = new ProviderSignInService(process);
});
afterAll(() => under.close());

const identity = (more: Partial<ProviderIdentity> = {}): ProviderIdentity => ({
  provider: 'google',
  subject: randomBytes(8).toString('hex'),
  emailVerified: false,
  ...more,
});

/** Returns the user of the issued tokens. */
async function userOf(signedIn: SignInResult): Promise<string> {
  if (signedIn.kind !== 'tokens') throw new Error('a second factor is asked for');
  return (await process.sessions.verify(signedIn.tokens.accessToken)).userId;
}

const enter = async (who: ProviderIdentity, actor: Actor | null = null) =>
  userOf(await providers.signIn(actor, who));
const user = (id: string) =>
  under.core.row('SELECT email, email_verified_at, pending_email FROM users WHERE id = $1', id);
const countUsers = async () => (await under.core.row('SELECT count(*)::int AS count FROM users')).count;

describe('a new identity at a provider', () => {
  it('opens an account, and signs in to the same one afterwards', async () => {
    const who = identity();
    const opened = await enter(who);
    expect(await enter(who)).toBe(opened);
    expect(await enter(identity())).not.toBe(opened);
  });

  it('is another user at another provider, under the same subject', async () => {
    const who = identity();
    expect(await enter({ ...who, provider: 'apple' })).not.toBe(await enter(who));
  });

  it('brings an address only if the provider verified it', async () => {
    const verified = await enter(identity({ email: 'known@example.com', emailVerified: true }));
    expect(await user(verified)).toEqual({
      email: 'known@example.com',
      email_verified_at: expect.any(Date),
      pending_email: null,
    });
    const claimed = await enter(identity({ email: 'claimed@example.com' }));
    expect(await user(claimed)).toEqual({ email: null, email_verified_at: null, pending_email: null });
  });

  it('gives no access to an account with the same address, verified or with a password', async () => {
    const email = 'owner@example.com';
    const owner = await enter(identity({ email, emailVerified: true }));
    const registered = await process.passwords.register({ email, password: 'correct horse battery' });
    const { userId: byPassword } = await process.sessions.verify(registered.accessToken);
    const other = await enter(identity({ email, emailVerified: true, provider: 'apple' }));
    expect([owner, byPassword]).not.toContain(other);
  });

  it('opens one account for concurrent sign-ins', async () => {
    const who = identity();
    const before = await countUsers();
    const users = await Promise.all(Array.from({ length: 8 }, () => enter(who)));
    expect(new Set(users).size).toBe(1);
    expect(await countUsers()).toBe(Number(before) + 1);
  });

  it('is rejected if registration is closed, and stores nothing', async () => {
    const closed = new ProviderSignInService(under.createServices({ openRegistration: false }));
    const who = identity({ proof: { hash: randomBytes(32), expiresAt: new Date(Date.now() + 60_000) } });
    await expect(closed.signIn(null, who)).rejects.toMatchObject({ code: 'permission_denied' });
    const opened = await enter(who);
    expect(await userOf(await closed.signIn(null, { ...who, proof: undefined }))).toBe(opened);
  });
});

describe('a credential in addition to the identity', () => {
  it('links the identity to its account, repeatedly', async () => {
    const actor = await under.core.actor();
    const who = identity();
    expect(await enter(who, actor)).toBe(actor.userId);
    expect(await enter(who, actor)).toBe(actor.userId);
    expect(await enter(who)).toBe(actor.userId);
  });

  it('cannot take an identity from another account', async () => {
    const who = identity();
    const owner = await enter(who);
    const attempt = providers.signIn(await under.core.actor(), who);
    await expect(attempt).rejects.toMatchObject({ code: 'already_exists' });
    expect(await enter(who)).toBe(owner);
  });

  it('of two accounts concurrently links the identity to one', async () => {
    const who = identity();
    const actors = await Promise.all([under.core.actor(), under.core.actor()]);
    const outcomes = await Promise.allSettled(actors.map((actor) => enter(who, actor)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'already_exists' },
    });
  });

  it('needs ADMIN', async () => {
    const attempt = providers.signIn(await under.core.actor('READ', 'TRADE'), identity());
    await expect(attempt).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('that was revoked in the meantime links nothing', async () => {
    const actor = await under.actor();
    await process.sessions.revoke(actor);
    const who = identity();
    await expect(providers.signIn(actor, who)).rejects.toMatchObject({ code: 'invalid_access_token' });
    expect(await enter(who)).not.toBe(actor.userId);
  });
});

describe('a single-use proof', () => {
  const proof = (expiresAt = new Date(Date.now() + 60_000)) => ({ hash: randomBytes(32), expiresAt });

  it('signs its user in once, even for different callers', async () => {
    const who = identity({ provider: 'telegram', proof: proof() });
    await enter(who);
    await expect(providers.signIn(null, who)).rejects.toMatchObject({ code: 'invalid_login' });
    const attempt = providers.signIn(await under.core.actor(), who);
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_login' });
  });

  it('signs in one of several concurrent requests', async () => {
    const who = identity({ provider: 'telegram', proof: proof() });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => enter(who)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'invalid_login' });
    }
  });

  it('is not consumed by a rejection', async () => {
    const who = identity({ provider: 'telegram' });
    const owner = await enter(who);
    const proved = { ...who, proof: proof() };
    const attempt = providers.signIn(await under.core.actor(), proved);
    await expect(attempt).rejects.toMatchObject({ code: 'already_exists' });
    expect(await enter(proved)).toBe(owner);
  });
});

describe('a user with a second factor', () => {
  it('gets a ticket instead of tokens, and the tokens for a code', async () => {
    const who = identity();
    const opened = await providers.signIn(null, who);
    if (opened.kind !== 'tokens') throw new Error('no tokens');
    const actor = await process.sessions.verify(opened.tokens.accessToken);
    const { secret } = await process.secondFactor.generate(actor);
    const codeNow = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: under.nowMs });
    await process.secondFactor.enable(actor, codeNow());
    const signedIn = await providers.signIn(null, who);
    if (signedIn.kind !== 'ticket') throw new Error('no ticket');
    under.nowMs += 30_000;
    const tokens = await process.secondFactor.verify(signedIn.ticket, codeNow());
    expect((await process.sessions.verify(tokens.accessToken)).userId).toBe(actor.userId);
  });
});
