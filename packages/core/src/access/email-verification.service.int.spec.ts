import { createHash } from 'node:crypto';
import { mePatch } from '@trading-automation/contracts';
import { nobleEngine } from '@trading-automation/signed-request';
import type { Actor } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { EmailVerificationService } from './email-verification.service.js';
import { IdentityService } from './identity.service.js';

const ORIGIN = 'https://api.example.com';
const LINK = /^https:\/\/api\.example\.com\/email-verification\?code=([A-Za-z0-9_-]{43})$/m;

let core: CoreUnderTest;
let emails: EmailVerificationService;
let identities: IdentityService;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const { platform, commands } = core;
  emails = new EmailVerificationService({ platform, commands, publicUrl: () => ORIGIN });
  identities = new IdentityService({ platform, commands, engine: nobleEngine, isRegistrationOpen: true });
});
afterAll(() => core.close());
beforeEach(async () => {
  await core.rows('DELETE FROM email_verifications');
  actor = await core.actor();
});

const update = (email: string, caller: Actor = actor) => emails.update(caller, mePatch.parse({ email }));
const mailsTo = async (caller: Actor = actor) =>
  (await core.rows('SELECT * FROM mails WHERE user_id = $1 ORDER BY created_at', caller.userId)) as {
    recipient: string;
    subject: string;
    body: string;
  }[];
/** Returns the code of the newest mail. */
async function newestCode(caller: Actor = actor): Promise<string> {
  const [, code] = LINK.exec((await mailsTo(caller)).at(-1)?.body ?? '') ?? [];
  if (code === undefined) throw new Error('no link was sent');
  return code;
}
async function setAndVerify(email: string, caller: Actor = actor): Promise<void> {
  await update(email, caller);
  await emails.verify(await newestCode(caller));
}
const storedEmails = () => core.row('SELECT email, pending_email FROM users WHERE id = $1', actor.userId);
const advanceMinutes = (minutes: number) =>
  core.rows(
    `UPDATE email_verifications SET created_at = created_at - $2 * interval '1 minute',
       expires_at = expires_at - $2 * interval '1 minute' WHERE user_id = $1`,
    actor.userId,
    minutes,
  );
const notFound = { code: 'not_found' };

describe('an e-mail address', () => {
  it('stays pending while the page behind its link is only read', async () => {
    await update('read@example.com');
    for (let n = 0; n < 3; n++)
      expect(await emails.byCode(await newestCode())).toMatchObject({ email: 'read@example.com' });
    expect(await storedEmails()).toEqual({ email: null, pending_email: 'read@example.com' });
    await expect(emails.byCode('A'.repeat(43))).rejects.toMatchObject(notFound);
  });

  it('is pending until the link that was sent to it is opened', async () => {
    expect(await identities.me(actor)).not.toHaveProperty('email', expect.anything());
    expect(await update('Anna.B+x@Example.com')).toMatchObject({
      email: 'Anna.B+x@Example.com',
      email_verified: false,
    });
    const [mail, ...more] = await mailsTo();
    expect(mail).toMatchObject({ recipient: 'Anna.B+x@Example.com', subject: 'Verify your e-mail address' });
    expect(more).toEqual([]);
    expect(await emails.verify(await newestCode())).toEqual({ email_verified: true });
    const shown = { email: 'Anna.B+x@Example.com', email_verified: true };
    expect(await identities.me(actor)).toMatchObject(shown);
    expect(await storedEmails()).toEqual({ email: 'Anna.B+x@Example.com', pending_email: null });
  });

  it('that is verified stays in use until the new address is verified; the account shows the new address immediately', async () => {
    await setAndVerify('old@example.com');
    expect(await update('new@example.com')).toMatchObject({
      email: 'new@example.com',
      email_verified: false,
    });
    expect(await storedEmails()).toEqual({ email: 'old@example.com', pending_email: 'new@example.com' });
    await emails.verify(await newestCode());
    expect(await storedEmails()).toEqual({ email: 'new@example.com', pending_email: null });
  });

  it('that is already verified replaces a pending address without a mail', async () => {
    await setAndVerify('old@example.com');
    await update('new@example.com');
    const code = await newestCode();
    expect(await update('old@example.com')).toMatchObject({ email: 'old@example.com', email_verified: true });
    expect(await mailsTo()).toHaveLength(2);
    await expect(emails.verify(code)).rejects.toMatchObject(notFound);
    expect(await storedEmails()).toEqual({ email: 'old@example.com', pending_email: null });
  });

  it('does not change if the update is empty', async () => {
    await setAndVerify('a@example.com');
    expect(await emails.update(actor, mePatch.parse({}))).toEqual(await identities.me(actor));
    expect(await mailsTo()).toHaveLength(1);
  });

  it.each([
    '',
    'a',
    'a@b',
    'a@b.co\r\nBcc: c@d.co',
    'a@b.co, c@d.co',
    'A <a@b.co>',
    ' a@b.co',
    `${'a'.repeat(250)}@b.co`,
  ])('is rejected if it is invalid: %j', (email) => {
    expect(mePatch.safeParse({ email }).success).toBe(false);
  });

  it('can be changed only with ADMIN', async () => {
    for (const permission of ['READ', 'TRADE', 'WITHDRAW'] as const) {
      const actorWithoutAdmin = await core.actor(permission);
      await expect(update('a@example.com', actorWithoutAdmin)).rejects.toMatchObject({
        code: 'permission_denied',
      });
      expect(await mailsTo(actorWithoutAdmin)).toEqual([]);
    }
  });
});

describe('a code', () => {
  it('is stored as a hash; only the queued mail contains the code itself', async () => {
    await update('a@example.com');
    const code = await newestCode();
    const hash = createHash('sha256').update(code).digest();
    expect(
      await core.rows('SELECT code_hash FROM email_verifications WHERE user_id = $1', actor.userId),
    ).toEqual([{ code_hash: hash }]);
  });

  it('gives the same result each time it is used, even ten times concurrently', async () => {
    await update('a@example.com');
    const code = await newestCode();
    const results = await Promise.all(Array.from({ length: 10 }, () => emails.verify(code)));
    expect(results).toEqual(Array.from({ length: 10 }, () => ({ email_verified: true })));
    expect(await emails.verify(code)).toEqual({ email_verified: true });
  });

  it('is valid for 24 hours', async () => {
    await update('a@example.com');
    const code = await newestCode();
    await advanceMinutes(24 * 60 - 1);
    expect(await emails.verify(code)).toEqual({ email_verified: true });
    await advanceMinutes(2);
    await expect(emails.verify(code)).rejects.toMatchObject(notFound);
  });

  it('verifies only the address that it was sent to', async () => {
    await update('first@example.com');
    const first = await newestCode();
    await update('second@example.com');
    const second = await newestCode();
    await expect(emails.verify(first)).rejects.toMatchObject(notFound);
    expect(await identities.me(actor)).toMatchObject({ email: 'second@example.com', email_verified: false });
    await emails.verify(second);
    await expect(emails.verify(first)).rejects.toMatchObject(notFound);
    expect(await identities.me(actor)).toMatchObject({ email: 'second@example.com', email_verified: true });
  });

  it('stays valid when another code is sent', async () => {
    await update('a@example.com');
    const first = await newestCode();
    await update('a@example.com');
    expect(await newestCode()).not.toBe(first);
    expect(await emails.verify(first)).toEqual({ email_verified: true });
    expect(await emails.verify(await newestCode())).toEqual({ email_verified: true });
  });

  it('verifies only its own account if two accounts have the same address', async () => {
    const other = await core.actor();
    await update('shared@example.com');
    await update('shared@example.com', other);
    await emails.verify(await newestCode());
    expect(await identities.me(other)).toMatchObject({ email_verified: false });
    await emails.verify(await newestCode(other));
    expect(await identities.me(other)).toMatchObject({ email_verified: true });
  });

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(10_000), '\u0000', "' OR true --"])(
    'is not found if it was never sent: %j',
    async (code) => {
      await expect(emails.verify(code)).rejects.toMatchObject(notFound);
    },
  );
});

describe('verification mails', () => {
  it('are limited to five per hour for one account, even if twelve are requested concurrently', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => update(`a${n}@example.com`)),
    );
    const rejections = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(rejections).toHaveLength(7);
    for (const { code, retryAfterSeconds } of rejections) {
      expect(code).toBe('rate_limited');
      expect(retryAfterSeconds).toBeGreaterThan(3_500);
      expect(retryAfterSeconds).toBeLessThanOrEqual(3_600);
    }
    const mails = await mailsTo();
    expect(mails).toHaveLength(5);
    expect((await storedEmails()).pending_email).toBe(mails.at(-1)!.recipient);
    await expect(update('b@example.com', await core.actor())).resolves.toBeDefined();
  });

  it('are limited to ten per hour for one address, whatever its case, even if many accounts request them', async () => {
    const accounts = await Promise.all(Array.from({ length: 14 }, () => core.actor()));
    const addressFor = (n: number) => (n % 2 === 0 ? 'victim@example.com' : 'Victim@Example.com');
    const outcomes = await Promise.allSettled(accounts.map((account, n) => update(addressFor(n), account)));
    const rejections = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(rejections).toHaveLength(4);
    for (const { code, retryAfterSeconds } of rejections) {
      expect(code).toBe('rate_limited');
      expect(retryAfterSeconds).toBeGreaterThan(3_500);
      expect(retryAfterSeconds).toBeLessThanOrEqual(3_600);
    }
    const mails = await core.rows("SELECT FROM mails WHERE lower(recipient) = 'victim@example.com'");
    expect(mails).toHaveLength(10);
    await expect(update('another@example.com')).resolves.toMatchObject({ email: 'another@example.com' });
  });

  it.each([
    ['plus-addresses', (n: number) => `person+${n}@example.com`],
    ['dots at Gmail', (n: number) => `${'p'.repeat(n)}.${'p'.repeat(20 - n)}@gmail.com`],
  ])('are limited to ten per hour for one mailbox that is addressed by %s', async (_notation, addressOf) => {
    const accounts = await Promise.all(Array.from({ length: 12 }, () => core.actor()));
    const outcomes = await Promise.allSettled(
      accounts.map((account, n) => update(addressOf(n + 1), account)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it('are allowed again once the first of the last five is an hour old', async () => {
    for (let n = 0; n < 5; n++) await update('a@example.com');
    await advanceMinutes(59);
    await expect(update('a@example.com')).rejects.toMatchObject({ code: 'rate_limited' });
    await advanceMinutes(2);
    await expect(update('a@example.com')).resolves.toMatchObject({ email_verified: false });
  });
});
