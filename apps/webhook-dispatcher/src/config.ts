import { privateKeysSetting } from '@trading-automation/core/sealing';
import { ATTEMPT_TIMEOUT_MAX_MS, DELIVERY_LIMITS, RETRY_DELAYS_MS } from '@trading-automation/core/webhooks';
import { flag, metricsSettings } from '@trading-automation/runtime';
import { z } from 'zod';
import { areNameServers } from './delivery/name-resolver.js';
import { isOnThisMachine, requiresTls, sendsCredentials } from './delivery/smtp-client.js';

const delaysMs = z
  .string()
  .regex(/^\d{1,8}(?:,\d{1,8}){3}$/, 'expected four numbers of milliseconds, separated by commas')
  .transform((text) => text.split(',').map(Number));

const durationMs = z.coerce
  .number({ error: 'expected a number of milliseconds' })
  .int('expected whole milliseconds')
  .min(10, 'expected at least 10 ms')
  .max(600_000, 'expected at most 600,000 ms');

const count = (max: number) =>
  z.coerce
    .number({ error: 'expected a number' })
    .int('expected a whole number')
    .min(1, 'expected at least 1')
    .max(max, `expected at most ${max.toLocaleString('en')}`);

/** The minimum lease as a multiple of the attempt timeout, so that there is time to record the result of a timeout. */
const LEASE_PER_ATTEMPT = 1.5;

/** The URL of the mail server. */
const smtpUrl = z
  .url({ protocol: /^smtps?$/, error: 'expected smtp://… or smtps://…', abort: true })
  .refine((text) => !sendsCredentials(text) || requiresTls(text), {
    error: 'has credentials, so TLS is required: use smtps://…, or append ?starttls=required',
  });

const MAIL_FROM = /^(?:[^\p{Cc}<>@]*<([^<>]+)>|([^<>\s]+))$/u;
/** `address` or `Name <address>`. */
const mailFrom = z.string().refine(
  (text) => {
    const [, named, bare] = MAIL_FROM.exec(text) ?? [];
    return z.email().safeParse(named ?? bare).success;
  },
  { error: 'expected an address, or Name <address>' },
);

/** The settings of the process. */
export const configSchema = z
  .object({
    WORLD: z.enum(['test', 'live'], { error: 'expected test or live' }),
    DATABASE_URL: z.url('expected a URL'),
    REDIS_URL: z.url('expected a URL'),
    /** The first key opens secrets that are sealed now. The others open secrets that were sealed before a rotation. */
    WEBHOOK_OPENING_KEYS: privateKeysSetting,
    WEBHOOK_ALLOW_LOOPBACK: flag.default(false),
    /** The name servers that resolve the host names of receivers. Default: the name servers of the system. */
    DNS_SERVERS: z
      .string()
      .transform((text) => text.split(',').map((server) => server.trim()))
      .refine(areNameServers, { error: 'expected addresses, or address:port, separated by commas' })
      .optional(),
    /** Slots of the main lane. An attempt that takes over 250 ms is detached: it frees its slot and continues. */
    DELIVERY_CONCURRENCY: count(1024).default(128),
    /** Maximum number of concurrent detached attempts. */
    IN_FLIGHT_MAX: count(4096).default(1024),
    /** Slots of the slow lane, which sends the attempts to webhooks that keep failing. */
    SLOW_CONCURRENCY: count(1024).default(64),
    /** Maximum number of concurrent attempts to one webhook, over all dispatchers. */
    WEBHOOK_IN_FLIGHT_MAX: count(1024).default(DELIVERY_LIMITS.perWebhookMax),
    /** Maximum number of concurrent attempts to all webhooks of one user, for each lane and over all dispatchers. */
    USER_IN_FLIGHT_MAX: count(1024).default(DELIVERY_LIMITS.perUserMax),
    /** The delays before attempts 2 to 5. */
    RETRY_DELAYS_MS: delaysMs.default([...RETRY_DELAYS_MS]),
    /** The time limit of one attempt, from DNS to the last byte. */
    ATTEMPT_TIMEOUT_MS: durationMs
      .max(ATTEMPT_TIMEOUT_MAX_MS, `expected at most ${ATTEMPT_TIMEOUT_MAX_MS.toLocaleString('en')} ms`)
      .default(ATTEMPT_TIMEOUT_MAX_MS),
    /** The duration of an attempt's lease. */
    LEASE_MS: durationMs.default(45_000),
    /** A dispatcher without a heartbeat for this time counts as dead, and other dispatchers take over its attempts. */
    SILENCE_MS: durationMs.default(DELIVERY_LIMITS.heartbeatTimeoutMs),
    /** The interval at which the sweeper searches Postgres for due deliveries without a job. */
    SWEEP_MS: durationMs.default(5_000),
    /** The mail server. Without it, mail waits in Postgres. */
    SMTP_URL: smtpUrl.optional(),
    /** The sender of mail. */
    MAIL_FROM: mailFrom.optional(),
    /** The maximum wait for the mail server in each step of sending a mail. */
    MAIL_TIMEOUT_MS: durationMs.default(20_000),
    /** The interval at which Postgres is polled for mail. */
    MAIL_POLL_MS: durationMs.default(5_000),
    /** How long a stop waits for running attempts. Attempts that take longer are abandoned and later sent again. */
    STOP_GRACE_MS: durationMs.default(33_000),
    /** Distinguishes dispatchers that share a Redis but not a database. */
    QUEUE_PREFIX: z.string().min(1).default('webhooks'),
    ...metricsSettings,
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], { error: 'expected a log level' })
      .default('info'),
  })
  .superRefine((config, context) => {
    if (config.WORLD === 'live' && config.WEBHOOK_ALLOW_LOOPBACK) {
      const message = 'must be false in the live world';
      context.addIssue({ code: 'custom', path: ['WEBHOOK_ALLOW_LOOPBACK'], message });
    }
    // Mails contain links that verify an address or reset a password.
    const { SMTP_URL } = config;
    if (
      config.WORLD === 'live' &&
      SMTP_URL !== undefined &&
      !requiresTls(SMTP_URL) &&
      !isOnThisMachine(SMTP_URL)
    ) {
      const message = 'must use TLS in the live world: use smtps://…, or append ?starttls=required';
      context.addIssue({ code: 'custom', path: ['SMTP_URL'], message });
    }
    if (config.SMTP_URL !== undefined && config.MAIL_FROM === undefined) {
      const message = 'must be set if SMTP_URL is set';
      context.addIssue({ code: 'custom', path: ['MAIL_FROM'], message });
    }
    if (config.LEASE_MS < config.ATTEMPT_TIMEOUT_MS * LEASE_PER_ATTEMPT) {
      const message = `expected at least ${LEASE_PER_ATTEMPT} times ATTEMPT_TIMEOUT_MS`;
      context.addIssue({ code: 'custom', path: ['LEASE_MS'], message });
    }
  });

export type Config = z.infer<typeof configSchema>;
