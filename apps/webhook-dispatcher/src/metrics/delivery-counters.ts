/**
 * What this dispatcher has done since it started. Every series that can ever count stands at 0 from the start, so
 * that the first of its kind is seen as a rise; labels come from closed sets alone, never from users.
 */
import { DELIVERY_ERRORS, type DeliveryError } from '@trading-automation/contracts';
import type { MailOutcome } from '@trading-automation/core/mail';
import type { AttemptResult, RecordOutcome } from '@trading-automation/core/webhooks';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Who made an attempt: one of the two lanes, or an owner's test event, which goes past them. */
const ATTEMPT_LANES = ['main', 'slow', 'test'] as const;
type AttemptLane = (typeof ATTEMPT_LANES)[number];

/** What a sweep makes up for: a job that Redis lost or never had, a dispatcher that died over an attempt. */
const LOST = ['job', 'dispatcher'] as const;
const MAIL_OUTCOMES: readonly MailOutcome['kind'][] = ['sent', 'rejected', 'deferred', 'unreachable'];
const SUCCEEDED = 'succeeded';
/** An attempt ends within 30 s; connections on the spot take some milliseconds. */
const ATTEMPT_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];
/** Promised is 1 s in 99 of 100; beyond a minute only the backlog's age tells more. */
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
      help: 'Attempts that were made and recorded',
      labelNames: ['lane', 'outcome'],
      registers,
    });
    this.durations = new Histogram({
      name: 'webhook_attempt_duration_seconds',
      help: 'From the name of the receiver to the end of its answer',
      labelNames: ['lane'],
      buckets: ATTEMPT_BUCKETS_SECONDS,
      registers,
    });
    this.delays = new Histogram({
      name: 'webhook_first_attempt_delay_seconds',
      help: 'From the writing of an event to the beginning of its first attempt',
      buckets: DELAY_BUCKETS_SECONDS,
      registers,
    });
    this.supersededAttempts = new Counter({
      name: 'webhook_superseded_attempts_total',
      help: 'Attempts whose lease had gone to another dispatcher by their end: made twice, recorded once',
      registers,
    });
    this.repairs = new Counter({
      name: 'webhook_sweeper_repairs_total',
      help: 'Overdue deliveries that a sweep has given a job',
      labelNames: ['lost'],
      registers,
    });
    this.deactivations = new Counter({
      name: 'webhook_deactivations_total',
      help: 'Webhooks that were deactivated for their failures',
      registers,
    });
    this.mails = new Counter({
      name: 'mails_total',
      help: 'Tries to hand a mail to the mail server',
      labelNames: ['outcome'],
      registers,
    });
    this.initialize();
  }

  /** An attempt was made, and this became of it; without an error it succeeded. */
  countAttempt(lane: AttemptLane, recorded: RecordOutcome['kind'], { error, durationMs }: AttemptEnd): void {
    if (recorded === 'superseded') {
      this.supersededAttempts.inc();
      return;
    }
    this.attempts.inc({ lane, outcome: error ?? SUCCEEDED });
    this.durations.observe({ lane }, durationMs / 1000);
    if (recorded === 'deactivated') this.deactivations.inc();
  }

  /** The same call, whose attempts count as those of test events. */
  instrument<Call>(send: (call: Call) => Promise<AttemptResult>): (call: Call) => Promise<AttemptResult> {
    return async (call) => {
      const startedAt = performance.now();
      const result = await send(call);
      this.countAttempt('test', 'ended', { error: result.error, durationMs: performance.now() - startedAt });
      return result;
    };
  }

  /** The first attempt of an event begins, so long after the event was written. */
  observeFirstAttempt(delayMs: number): void {
    this.delays.observe(Math.max(0, delayMs) / 1000);
  }

  /** A sweep has given an overdue delivery a job, for this was lost. */
  countRepair(lost: (typeof LOST)[number]): void {
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
    for (const lost of LOST) this.repairs.inc({ lost }, 0);
    for (const outcome of MAIL_OUTCOMES) this.mails.inc({ outcome }, 0);
  }
}
