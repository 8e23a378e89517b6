/**
 * Sends queued mail in its own loops, so that a slow mail server delays no webhook. A loop holds no connection to
 * Postgres while it waits for the mail server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedMail, MailOutcome, MailQueue } from '@trading-automation/core/mail';
import type { Logger } from '@trading-automation/runtime';
import type { DeliveryCounters } from '../metrics/delivery-counters.js';
import type { SmtpClient } from './smtp-client.js';

/** Each loop sends one mail at a time. */
const LOOPS = 2;
/** The lease as a multiple of the send deadline, so that the outcome can be recorded before the lease ends. */
const LEASE_PER_DEADLINE = 2;
const RECORD_RETRY_MS = 500;

export class MailSender {
  private readonly stopping = new AbortController();
  private wake = new AbortController();
  private running: Promise<unknown> | undefined;
  private unsubscribe = () => {};

  constructor(
    private readonly mails: MailQueue,
    private readonly client: SmtpClient,
    private readonly counters: DeliveryCounters,
    private readonly logger: Logger,
    /** The interval at which the queue is polled if no notification arrives; also the delay after a failure. */
    private readonly pollMs: number,
  ) {}

  start(): void {
    this.unsubscribe = this.mails.subscribe(() => this.wake.abort());
    this.running = Promise.all(Array.from({ length: LOOPS }, () => this.run()));
  }

  /** Resolves once the outcomes of the mails in flight are recorded. */
  async stop(): Promise<void> {
    this.unsubscribe();
    this.stopping.abort();
    this.wake.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Reset `wake` before the query, so that mail that is queued during the query starts another iteration.
      if (this.wake.signal.aborted) this.wake = new AbortController();
      const wake = this.wake.signal;
      const next = await this.sendNext();
      if (next === 'more' || signal.aborted) continue;
      const until = next === 'none' ? wake : signal;
      await sleep(this.pollMs, undefined, { signal: until }).catch(() => undefined);
    }
  }

  /** Sends one mail if one is due, and records its outcome. */
  private async sendNext(): Promise<'more' | 'none' | 'failed'> {
    const leaseMs = this.client.deadlineMs * LEASE_PER_DEADLINE;
    const leaseEndsAt = performance.now() + leaseMs;
    try {
      const mail = await this.mails.claim(leaseMs);
      if (mail === undefined) return 'none';
      const outcome = await this.client.send(mail);
      await this.record(mail, outcome, leaseEndsAt);
      return outcome.kind === 'unreachable' ? 'failed' : 'more';
    } catch (error) {
      this.logger.warn(
        { event: 'mail_queue.unavailable', err: error },
        'Could not read or update the mail queue.',
      );
      return 'failed';
    }
  }

  /** Records the outcome, and retries until the lease ends. A mail whose outcome is not recorded is sent again. */
  private async record(mail: ClaimedMail, outcome: MailOutcome, leaseEndsAt: number): Promise<void> {
    for (;;) {
      try {
        const isRecorded = await this.mails.record(mail, outcome);
        this.counters.countMail(outcome.kind);
        this.log(mail, outcome, isRecorded);
        return;
      } catch (error) {
        if (performance.now() + RECORD_RETRY_MS >= leaseEndsAt) throw error;
        this.logger.warn(
          { event: 'mail.not_recorded', err: error, mail_id: mail.id },
          'Could not record the result of a mail; trying again.',
        );
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  private log({ id }: ClaimedMail, outcome: MailOutcome, isRecorded: boolean): void {
    const fields = { mail_id: id, outcome: outcome.kind, is_recorded: isRecorded };
    if (outcome.kind === 'sent') this.logger.debug({ event: 'mail.sent', ...fields }, 'Sent a mail.');
    else
      this.logger.warn({ event: 'mail.failed', ...fields, error: outcome.error }, 'Could not send a mail.');
  }
}
