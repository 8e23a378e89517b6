import { readConfig } from '@trading-automation/runtime';
import { configSchema } from './config.js';

const REQUIRED = {
  WORLD: 'test',
  DATABASE_URL: 'postgres://db/x',
  REDIS_URL: 'redis://cache',
  WEBHOOK_OPENING_KEYS: '0123456789abcdef.cHJpdmF0ZQ,fedcba9876543210.b2xkZXI',
};
const problemsOf = (changes: Record<string, string>) => {
  try {
    readConfig(configSchema, { ...REQUIRED, ...changes });
    return [];
  } catch (error) {
    return (error as { problems: string[] }).problems;
  }
};

describe('the configuration', () => {
  it('uses the documented retry delays and limits by default', () => {
    expect(readConfig(configSchema, REQUIRED)).toMatchObject({
      WEBHOOK_ALLOW_LOOPBACK: false,
      DELIVERY_CONCURRENCY: 128,
      IN_FLIGHT_MAX: 1_024,
      WEBHOOK_IN_FLIGHT_MAX: 4,
      USER_IN_FLIGHT_MAX: 16,
      SILENCE_MS: 8_000,
      RETRY_DELAYS_MS: [5_000, 30_000, 120_000, 600_000],
      ATTEMPT_TIMEOUT_MS: 30_000,
      LEASE_MS: 45_000,
      SWEEP_MS: 5_000,
    });
  });

  it.each([
    'a@example.com',
    'Trading <a@example.com>',
    '<a@example.com>',
    'Überweisung GmbH <a@example.com>',
  ])('accepts %s as the sender of mail', (from) => {
    const mail = { SMTP_URL: 'smtps://user:pass@mail.example.com:465', MAIL_FROM: from };
    expect(readConfig(configSchema, { ...REQUIRED, ...mail })).toMatchObject(mail);
  });

  it.each([
    ['test', 'smtp://user:pass@mail.example.com:587?starttls=required'],
    ['live', 'smtp://user:pass@mail.example.com:587?starttls=required'],
    ['live', 'smtps://mail.example.com'],
    ['live', 'smtp://127.0.0.1:25'],
    ['test', 'smtp://mail.example.com'],
  ])('accepts in the %s world the mail server %s', (WORLD, SMTP_URL) => {
    expect(problemsOf({ WORLD, SMTP_URL, MAIL_FROM: 'a@example.com' })).toEqual([]);
  });

  it('names the maximum of a time limit that is exceeded', () => {
    expect(problemsOf({ ATTEMPT_TIMEOUT_MS: '30001', LEASE_MS: '60000' })).toEqual([
      'ATTEMPT_TIMEOUT_MS: expected at most 30,000 ms',
    ]);
  });

  it('reads the opening keys in the order of the variable', () => {
    expect(readConfig(configSchema, REQUIRED).WEBHOOK_OPENING_KEYS).toEqual([
      { id: '0123456789abcdef', privateKey: 'cHJpdmF0ZQ' },
      { id: 'fedcba9876543210', privateKey: 'b2xkZXI' },
    ]);
  });

  it.each([
    [{ WORLD: 'live', WEBHOOK_ALLOW_LOOPBACK: 'true' }, 'WEBHOOK_ALLOW_LOOPBACK'],
    [{ LEASE_MS: '44999' }, 'LEASE_MS'],
    [{ SMTP_URL: 'smtp://user:secret@mail.example.com', MAIL_FROM: 'a@example.com' }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp://user:secret@127.0.0.1:587', MAIL_FROM: 'a@example.com' }, 'SMTP_URL'],
    [
      { SMTP_URL: 'smtp://user:secret@mail.example.com?starttls=optional', MAIL_FROM: 'a@example.com' },
      'SMTP_URL',
    ],
    [{ WORLD: 'live', SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'a@example.com' }, 'SMTP_URL'],
    [
      { WEBHOOK_OPENING_KEYS: `0123456789abcdef.${Buffer.alloc(32, 7).toString('base64url')}` },
      'WEBHOOK_OPENING_KEYS',
    ],
    [{ RETRY_DELAYS_MS: '5000,30000' }, 'RETRY_DELAYS_MS'],
    [{ WEBHOOK_OPENING_KEYS: 'secret' }, 'WEBHOOK_OPENING_KEYS'],
    [{ DELIVERY_CONCURRENCY: '0' }, 'DELIVERY_CONCURRENCY'],
    [{ SMTP_URL: 'https://secret@mail.example.com', MAIL_FROM: 'a@example.com' }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp://mail.example.com' }, 'MAIL_FROM'],
    [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM'],
    [{ MAIL_FROM: 'A <a@example.com>, B <b@example.com>' }, 'MAIL_FROM'],
    [{ MAIL_FROM: 'A\r\nBcc: <a@example.com>' }, 'MAIL_FROM'],
    [{ MAIL_TIMEOUT_MS: 'soon' }, 'MAIL_TIMEOUT_MS'],
  ])('is rejected with %j, and the error names %s but no secret', (changes, name) => {
    const problems = problemsOf(changes as Record<string, string>);
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
    expect(problems.join()).not.toContain('secret');
  });
});
