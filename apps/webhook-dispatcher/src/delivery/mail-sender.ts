/**
 * Sends the mail that is queued, in loops of its own: a slow mail server holds up no webhook, and holds no
 * connection to Postgres while it takes its time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedMail, MailOutcome, MailQueue } from '@trading-automation/core/mail';
import type { Logger } from '@trading-automation/runtime';
import type { DeliveryCounters } from '../metrics/delivery-counters.js';
import type { SmtpClient } from './smtp-client.js';

/** Mails under way at once. */
const LOOPS = 2;
/** A claim outlasts the mail and its record. */
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
    /** How often Postgres is asked for mail that nobody was told of; also the pause after trouble. */
    private readonly pollMs: number,
  ) {}

  start(): void {
    this.unsubscribe = this.mails.subscribe(() => this.wake.abort());
    this.running = Promise.all(Array.from({ length: LOOPS }, () => this.run()));
  }

  /** Resolves once the mails under way are recorded. */
  async stop(): Promise<void> {
    this.unsubscribe();
    this.stopping.abort();
    this.wake.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Mail that is queued while Postgres is asked must lead to another turn: hence before it.
      if (this.wake.signal.aborted) this.wake = new AbortController();
      const wake = this.wake.signal;
      const next = await this.sendNext();
      if (next === 'more' || signal.aborted) continue;
      const until = next === 'none' ? wake : signal;
      await sleep(this.pollMs, undefined, { signal: until }).catch(() => undefined);
    }
  }

  /** One mail, if there is one. */
  private async sendNext(): Promise<'more' | 'none' | 'trouble'> {
    const leaseMs = this.client.deadlineMs * LEASE_PER_DEADLINE;
    const leaseEndsAt = performance.now() + leaseMs;
    try {
      const mail = await this.mails.claim(leaseMs);
      if (mail === undefined) return 'none';
      const outcome = await this.client.send(mail);
      await this.record(mail, outcome, leaseEndsAt);
      return outcome.kind === 'unreachable' ? 'trouble' : 'more';
    } catch (error) {
      this.logger.warn({ err: error }, 'the mail queue could not be reached');
      return 'trouble';
    }
  }

  /** What was sent and is not recorded will be sent again: hence more than one try, for as long as the lease holds. */
  private async record(mail: ClaimedMail, outcome: MailOutcome, leaseEndsAt: number): Promise<void> {
    for (;;) {
      try {
        const isRecorded = await this.mails.record(mail, outcome);
        this.counters.countMail(outcome.kind);
        this.log(mail, outcome, isRecorded);
        return;
      } catch (error) {
        if (performance.now() + RECORD_RETRY_MS >= leaseEndsAt) throw error;
        this.logger.warn({ err: error, mail_id: mail.id }, 'a mail is not recorded yet');
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  private log({ id }: ClaimedMail, outcome: MailOutcome, isRecorded: boolean): void {
    const said = { mail_id: id, outcome: outcome.kind, is_recorded: isRecorded };
    if (outcome.kind === 'sent') this.logger.debug(said, 'mail sent');
    else this.logger.warn({ ...said, error: outcome.error }, 'mail not sent');
  }
}
