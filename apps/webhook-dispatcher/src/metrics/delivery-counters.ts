/**
 * Counts attempts, repairs and mails of this dispatcher since its start. A repair is a job that the sweeper added for
 * an overdue delivery. Every possible series starts at 0, so that its first count shows as an increase. Label values
 * come from closed sets, never from users.
 */
import { DELIVERY_ERRORS, type DeliveryError } from '@trading-automation/contracts';
import type { MailOutcome } from '@trading-automation/core/mail';
import type { AttemptResult, RecordOutcome } from '@trading-automation/core/webhooks';
import { Counter, Histogram, type Registry } from 'prom-client';

/** The lane of an attempt. `test` stands for a test event, which is sent without a lane. */
const ATTEMPT_LANES = ['main', 'slow', 'test'] as const;
type AttemptLane = (typeof ATTEMPT_LANES)[number];

/**
 * Why the sweeper had to add a job for an overdue delivery, by what was lost: the `job` was missing in Redis, or the
 * `dispatcher` died during an attempt.
 */
const REPAIR_CAUSES = ['job', 'dispatcher'] as const;
const MAIL_OUTCOMES: readonly MailOutcome['kind'][] = ['sent', 'rejected', 'deferred', 'unreachable'];
const SUCCEEDED = 'succeeded';
/** An attempt takes from a few milliseconds to 30 s, its default time limit. */
const ATTEMPT_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];
/**
 * The objective is that 99 % of the delays are below 1 s. For delays of more than a minute, the gauges of the backlog's
 * age are more informative.
 */
const DELAY_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 5, 15, 60];

interface AttemptEnd {
  readonly error: DeliveryError | undefined;
  readonly durationMs: number;
}

export class DeliveryCounters {
  private readonly attempts;
  private readonly durations;
  private readonly delays;
  private readonly supersededAttempts;
  private readonly repairs;
  private readonly deactivations;
  private readonly mails;

  constructor(registry: Registry) {
    const registers = [registry];
    this.attempts = new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts whose result was recorded',
      labelNames: ['lane', 'outcome'],
      registers,
    });
    this.durations = new Histogram({
      name: 'webhook_attempt_duration_seconds',
      help: 'Duration of an attempt, from the DNS look-up to the end of the response',
      labelNames: ['lane'],
      buckets: ATTEMPT_BUCKETS_SECONDS,
      registers,
    });
    this.delays = new Histogram({
      name: 'webhook_first_attempt_delay_seconds',
      help: 'Time from the creation of an event to the start of its first attempt',
      buckets: DELAY_BUCKETS_SECONDS,
      registers,
    });
    this.supersededAttempts = new Counter({
      name: 'webhook_superseded_attempts_total',
      help: 'Attempts that another dispatcher took over before they ended. Their event may have been sent twice; only one result is recorded',
      registers,
    });
    this.repairs = new Counter({
      name: 'webhook_sweeper_repairs_total',
      help: 'Overdue deliveries for which the sweeper added a job',
      labelNames: ['lost'],
      registers,
    });
    this.deactivations = new Counter({
      name: 'webhook_deactivations_total',
      help: 'Webhooks that were deactivated after repeated failures',
      registers,
    });
    this.mails = new Counter({
      name: 'mails_total',
      help: 'Attempts to send a mail, by outcome',
      labelNames: ['outcome'],
      registers,
    });
    this.initialize();
  }

  /** Counts a recorded attempt. An attempt without an error has succeeded. */
  countAttempt(lane: AttemptLane, recorded: RecordOutcome['kind'], { error, durationMs }: AttemptEnd): void {
    if (recorded === 'superseded') {
      this.supersededAttempts.inc();
      return;
    }
    this.attempts.inc({ lane, outcome: error ?? SUCCEEDED });
    this.durations.observe({ lane }, durationMs / 1000);
    if (recorded === 'deactivated') this.deactivations.inc();
  }

  /** Wraps a function that sends test events, so that its attempts are counted. */
  countTestAttempts<Call>(
    send: (call: Call) => Promise<AttemptResult>,
  ): (call: Call) => Promise<AttemptResult> {
    return async (call) => {
      const startedAt = performance.now();
      const result = await send(call);
      this.countAttempt('test', 'ended', { error: result.error, durationMs: performance.now() - startedAt });
      return result;
    };
  }

  /** Records the delay from the creation of an event to the start of its first attempt. */
  observeFirstAttempt(delayMs: number): void {
    this.delays.observe(Math.max(0, delayMs) / 1000);
  }

  /** Counts an overdue delivery for which the sweeper added a job, by the cause; see `REPAIR_CAUSES`. */
  countRepair(lost: (typeof REPAIR_CAUSES)[number]): void {
    this.repairs.inc({ lost });
  }

  countMail(outcome: MailOutcome['kind']): void {
    this.mails.inc({ outcome });
  }

  private initialize(): void {
    for (const lane of ATTEMPT_LANES) {
      for (const outcome of [SUCCEEDED, ...DELIVERY_ERRORS]) this.attempts.inc({ lane, outcome }, 0);
      this.durations.zero({ lane });
    }
    for (const lost of REPAIR_CAUSES) this.repairs.inc({ lost }, 0);
    for (const outcome of MAIL_OUTCOMES) this.mails.inc({ outcome }, 0);
  }
}
