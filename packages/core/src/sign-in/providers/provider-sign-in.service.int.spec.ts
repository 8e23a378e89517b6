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

/** The user that the answer lets in. */
async function userOf(signedIn: SignInResult): Promise<string> {
  if (signedIn.kind !== 'tokens') throw new Error('a second factor is asked for');
  return (await process.sessions.verify(signedIn.tokens.accessToken)).userId;
}

const enter = async (who: ProviderIdentity, actor: Actor | null = null) =>
  userOf(await providers.signIn(actor, who));
const user = (id: string) =>
  under.core.row('SELECT email, email_verified_at, pending_email FROM users WHERE id = $1', id);
const countUsers = async () => (await under.core.row('SELECT count(*)::int AS count FROM users')).count;

describe('whoever comes from a provider for the first time', () => {
  it('gets an account, and is let into the same one from then on', async () => {
    const who = identity();
    const opened = await enter(who);
    expect(await enter(who)).toBe(opened);
    expect(await enter(identity())).not.toBe(opened);
  });

  it('is somebody else at another provider, under the same subject', async () => {
    const who = identity();
    expect(await enter({ ...who, provider: 'apple' })).not.toBe(await enter(who));
  });

  it('begins with the address that the provider verified, and with none that it did not', async () => {
    const verified = await enter(identity({ email: 'known@example.com', emailVerified: true }));
    expect(await user(verified)).toEqual({
      email: 'known@example.com',
      email_verified_at: expect.any(Date),
      pending_email: null,
    });
    const claimed = await enter(identity({ email: 'claimed@example.com' }));
    expect(await user(claimed)).toEqual({ email: null, email_verified_at: null, pending_email: null });
  });

  it('is not let into the account that has the same address, verified or by password', async () => {
    const email = 'owner@example.com';
    const owner = await enter(identity({ email, emailVerified: true }));
    const registered = await process.passwords.register({ email, password: 'correct horse battery' });
    const { userId: byPassword } = await process.sessions.verify(registered.accessToken);
    const stranger = await enter(identity({ email, emailVerified: true, provider: 'apple' }));
    expect([owner, byPassword]).not.toContain(stranger);
  });

  it('gets one account, however often they come at once', async () => {
    const who = identity();
    const before = await countUsers();
    const users = await Promise.all(Array.from({ length: 8 }, () => enter(who)));
    expect(new Set(users).size).toBe(1);
    expect(await countUsers()).toBe(Number(before) + 1);
  });

  it('is refused where no accounts are opened, and nothing stays of it', async () => {
    const closed = new ProviderSignInService(under.createServices({ openRegistration: false }));
    const who = identity({ proof: { hash: randomBytes(32), expiresAt: new Date(Date.now() + 60_000) } });
    await expect(closed.signIn(null, who)).rejects.toMatchObject({ code: 'permission_denied' });
    const opened = await enter(who);
    expect(await userOf(await closed.signIn(null, { ...who, proof: undefined }))).toBe(opened);
  });
});

describe('a credential beside the identity', () => {
  it('joins the identity to its account, again and again', async () => {
    const actor = await under.core.actor();
    const who = identity();
    expect(await enter(who, actor)).toBe(actor.userId);
    expect(await enter(who, actor)).toBe(actor.userId);
    expect(await enter(who)).toBe(actor.userId);
  });

  it('does not take an identity from another account, and gets nothing', async () => {
    const who = identity();
    const owner = await enter(who);
    const attempt = providers.signIn(await under.core.actor(), who);
    await expect(attempt).rejects.toMatchObject({ code: 'already_exists' });
    expect(await enter(who)).toBe(owner);
  });

  it('of two accounts at once gives the identity to one', async () => {
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

  it('that was revoked meanwhile joins nothing', async () => {
    const actor = await under.actor();
    await process.sessions.revoke(actor);
    const who = identity();
    await expect(providers.signIn(actor, who)).rejects.toMatchObject({ code: 'invalid_access_token' });
    expect(await enter(who)).not.toBe(actor.userId);
  });
});

describe('a proof that is good once', () => {
  const proof = (expiresAt = new Date(Date.now() + 60_000)) => ({ hash: randomBytes(32), expiresAt });

  it('lets its user in once, whoever brings it', async () => {
    const who = identity({ provider: 'telegram', proof: proof() });
    await enter(who);
    await expect(providers.signIn(null, who)).rejects.toMatchObject({ code: 'invalid_login' });
    const attempt = providers.signIn(await under.core.actor(), who);
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_login' });
  });

  it('lets one in of all that bring it at once', async () => {
    const who = identity({ provider: 'telegram', proof: proof() });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => enter(who)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'invalid_login' });
    }
  });

  it('is not used up by a refusal', async () => {
    const who = identity({ provider: 'telegram' });
    const owner = await enter(who);
    const proved = { ...who, proof: proof() };
    const attempt = providers.signIn(await under.core.actor(), proved);
    await expect(attempt).rejects.toMatchObject({ code: 'already_exists' });
    expect(await enter(proved)).toBe(owner);
  });
});

describe('a user with a second factor', () => {
  it('gets a ticket in place of tokens, and with a code the tokens', async () => {
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
