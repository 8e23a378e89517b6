import { z } from 'zod';
import type { Random } from './random.js';

const rate = z.number().min(0).max(1).default(0);

/** What is left out is 0, so an empty body is fair weather. */
export const weatherSchema = z.strictObject({
  /** Added to every answer of the venue's REST routes, in milliseconds. */
  latency_ms: z.int().min(0).max(60_000).default(0),
  /** Chance that a REST call is refused with 429. */
  rate_limit_rate: rate,
  /** Chance that a new order is refused with 503, unaccepted. */
  error_rate: rate,
  /** Chance that a new order is accepted and its answer never sent. */
  drop_answer_rate: rate,
  /** Chance that a user event is sent twice. */
  duplicate_event_rate: rate,
  /** Chance that a user event comes after the one that follows it. */
  reorder_event_rate: rate,
  /** Chance that an incoming order fills in several smaller parts. */
  partial_fill_rate: rate,
});

export type Forecast = z.infer<typeof weatherSchema>;
type Chance = Exclude<keyof Forecast, 'latency_ms'>;

/** The faults that the exchange is told to have. Draws are seeded; a rate of 0 never strikes and one of 1 always does. */
export class Weather {
  private forecast: Forecast = weatherSchema.parse({});

  constructor(private readonly random: Random) {}

  set(forecast: Forecast): void {
    this.forecast = forecast;
  }

  get(): Forecast {
    return this.forecast;
  }

  strikes(chance: Chance): boolean {
    return this.random() < this.forecast[chance];
  }
}
