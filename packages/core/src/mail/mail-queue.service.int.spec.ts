import { inTransaction, newUuid } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { MAIL_DEFERRALS_MAX, mailRetryDelayMs } from './mail.rules.js';
import { type ClaimedMail, type MailOutcome, MailQueue } from './mail-queue.service.js';
import { queueMail } from './queue-mail.js';

let core: CoreUnderTest;
let mails: MailQueue;
let userId: string;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  mails = new MailQueue(core.platform);
  ({ userId } = await core.actor());
});
afterAll(() => core.close());
beforeEach(() => core.rows('DELETE FROM mails'));

const LEASE_MS = 60_000;
const draft = { to: 'a@example.com', subject: 'Hello', text: 'line\n' };
const queue = (overrides: Partial<typeof draft> = {}) =>
  inTransaction(core.platform.database, (tx) => queueMail(tx, { userId, ...draft, ...overrides }));
const claim = async (): Promise<ClaimedMail> => {
  const mail = await mails.claim(LEASE_MS);
  if (mail === undefined) throw new Error('no mail is due');
  return mail;
};
const makeDue = () => core.rows('UPDATE mails SET next_at = clock_timestamp() WHERE next_at IS NOT NULL');
const readSingleMail = () =>
  core.row(
    `SELECT attempts, body, sent_at IS NOT NULL AS is_sent, failed_at IS NOT NULL AS has_failed, last_error,
       extract(epoch FROM next_at - clock_timestamp())::float AS due_in FROM mails`,
  );

describe('queued mail', () => {
  it('is committed or rolled back with the transaction that queues it', async () => {
    const failing = inTransaction(core.platform.database, async (tx) => {
      await queueMail(tx, { userId, ...draft });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await mails.claim(LEASE_MS)).toBeUndefined();
    await queue();
    expect(await claim()).toMatchObject({ ...draft, claim: 1, deferrals: 0 });
  });

  it.each([
    { to: 'a@example.com\r\nBcc: b@example.com' },
    { to: 'a@example.com, b@example.com' },
    { to: 'no address' },
    { subject: 'two\nlines' },
    { subject: 'nul\u0000' },
    { subject: 'x'.repeat(201) },
  ])('must have one valid address and a subject of one short line; %j is rejected', async (overrides) => {
    await expect(queue(overrides)).rejects.toThrow(TypeError);
    expect(await core.rows('SELECT FROM mails')).toEqual([]);
  });

  it('that has waited for three days is not sent, and its text is deleted', async () => {
    await queue();
    await queue({ to: 'b@example.com' });
    await core.rows(
      `UPDATE mails SET created_at = created_at - interval '3 days', next_at = next_at - interval '1 hour'
       WHERE recipient = 'a@example.com'`,
    );
    expect(await claim()).toMatchObject({ to: 'b@example.com' });
    expect(await mails.claim(LEASE_MS)).toBeUndefined();
    expect(await core.rows("SELECT body, last_error FROM mails WHERE recipient = 'a@example.com'")).toEqual([
      { body: null, last_error: 'too late' },
    ]);
  });

  it('notifies the process that sends mail when it is committed', async () => {
    const notified = new Promise<void>((resolve) => {
      const unsubscribe = mails.subscribe(() => {
        unsubscribe();
        resolve();
      });
    });
    await core.untilListening();
    await queue();
    await notified;
  });
});

describe('a claim', () => {
  it('is granted to one of many concurrent claimants; the mail that has waited longest comes first', async () => {
    for (let n = 0; n < 10; n++) await queue({ subject: String(n) });
    const first = await claim();
    expect(first.subject).toBe('0');
    const claimed = await Promise.all(Array.from({ length: 15 }, () => mails.claim(LEASE_MS)));
    const ids = claimed.flatMap((mail) => (mail === undefined ? [] : [mail.id]));
    expect(ids).toHaveLength(9);
    expect(new Set([...ids, first.id]).size).toBe(10);
  });

  it('of another user waits for at most one mail of a user who queued 2,000 before', async () => {
    const other = await core.actor();
    await core.rows(
      `INSERT INTO mails (id, user_id, recipient, subject, body)
       SELECT gen_random_uuid(), $1, 'a@example.com', 'busy ' || n, 'text' FROM generate_series(1, 2000) n`,
      userId,
    );
    const subjects: string[] = [];
    const claimSubject = async () => subjects.push((await claim()).subject);
    for (let n = 0; n < 3; n++) await claimSubject();
    await inTransaction(core.platform.database, (tx) =>
      queueMail(tx, { userId: other.userId, ...draft, subject: 'single' }),
    );
    for (let n = 0; n < 3; n++) await claimSubject();
    expect(subjects.indexOf('single')).toBeGreaterThanOrEqual(3);
    expect(subjects.indexOf('single')).toBeLessThanOrEqual(4);
    expect(subjects.filter((subject) => subject.startsWith('busy'))).toEqual([
      'busy 1',
      'busy 2',
      'busy 3',
      'busy 4',
      'busy 5',
    ]);
  });

  it('ends with its lease; once another sender claims the mail, results of the former claim are ignored', async () => {
    await queue();
    const formerClaim = await claim();
    expect(await mails.claim(LEASE_MS)).toBeUndefined();
    await makeDue();
    const currentClaim = await claim();
    expect(currentClaim).toMatchObject({ id: formerClaim.id, claim: 2 });
    for (const kind of ['sent', 'rejected', 'deferred', 'unreachable'] as const) {
      expect(await mails.record(formerClaim, { kind, error: 'late' } as MailOutcome)).toBe(false);
    }
    expect(await readSingleMail()).toMatchObject({
      is_sent: false,
      has_failed: false,
      attempts: 0,
      last_error: null,
    });
    expect(await mails.record(currentClaim, { kind: 'sent' })).toBe(true);
    expect(await mails.record(currentClaim, { kind: 'sent' })).toBe(false);
  });
});

describe('a mail', () => {
  it('that was sent is never claimed again, and its text is deleted', async () => {
    await queue();
    await mails.record(await claim(), { kind: 'sent' });
    expect(await mails.claim(LEASE_MS)).toBeUndefined();
    expect(await readSingleMail()).toMatchObject({
      is_sent: true,
      has_failed: false,
      attempts: 1,
      body: null,
      due_in: null,
    });
  });

  it('that is rejected has failed, and its text is deleted', async () => {
    await queue();
    await mails.record(await claim(), { kind: 'rejected', error: 'EENVELOPE 550' });
    expect(await mails.claim(LEASE_MS)).toBeUndefined();
    expect(await readSingleMail()).toMatchObject({
      has_failed: true,
      last_error: 'EENVELOPE 550',
      body: null,
    });
  });

  it('that is deferred is retried at growing intervals until it has failed', async () => {
    await queue();
    for (let deferral = 1; deferral < MAIL_DEFERRALS_MAX; deferral++) {
      await mails.record(await claim(), { kind: 'deferred', error: 'EENVELOPE 451' });
      const { due_in, attempts } = await readSingleMail();
      const delaySeconds = mailRetryDelayMs(deferral)! / 1_000;
      expect(attempts).toBe(deferral);
      expect(due_in).toBeLessThanOrEqual(delaySeconds);
      expect(due_in).toBeGreaterThan(delaySeconds - 30);
      await makeDue();
    }
    await mails.record(await claim(), { kind: 'deferred', error: 'EENVELOPE 451' });
    expect(await readSingleMail()).toMatchObject({
      has_failed: true,
      attempts: MAIL_DEFERRALS_MAX,
      body: null,
    });
  });

  it('is not counted as deferred while no server is reachable', async () => {
    await queue();
    for (let n = 0; n < 2 * MAIL_DEFERRALS_MAX; n++) {
      await mails.record(await claim(), { kind: 'unreachable', error: 'ECONNECTION' });
      await makeDue();
    }
    expect(await claim()).toMatchObject({ ...draft, deferrals: 0 });
  });

  it('must belong to an existing user', async () => {
    const queuing = inTransaction(core.platform.database, (tx) =>
      queueMail(tx, { userId: newUuid(), ...draft }),
    );
    await expect(queuing).rejects.toThrow();
  });
});
