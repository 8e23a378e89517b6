import { z } from 'zod';

const rate = z.number().min(0).max(1);

/** How one stretch of weather is. What is left out is as in fair weather, so an empty body is fair weather. */
export const forecastSchema = z.strictObject({
  /** Added to every answer of the venue's REST routes, in milliseconds. */
  latency_ms: z.int().min(0).max(60_000).default(0),
  /** Chance that a REST call is refused with 429. */
  rate_limit_rate: rate.default(0),
  /** The share of those refusals that say when to come again; `true` is all of them and `false` none. */
  retry_after: z.union([z.boolean().transform(Number), rate]).default(1),
  /** Chance that a new order is refused with 503, unaccepted. */
  error_rate: rate.default(0),
  /** Chance that any other signed or public call is refused with 503, without effect. */
  call_error_rate: rate.default(0),
  /** Chance that a new order is accepted and its answer never sent. */
  drop_answer_rate: rate.default(0),
  /** Chance that a new order is accepted and answered with 504: the venue says that it doesn't know. */
  unknown_answer_rate: rate.default(0),
  /** Chance that a user event is sent twice. */
  duplicate_event_rate: rate.default(0),
  /** Chance that a user event comes after the one that follows it. */
  reorder_event_rate: rate.default(0),
  /** Chance that a user event is never sent, on a connection that goes on. */
  lose_event_rate: rate.default(0),
  /** Chance that an incoming order fills in several smaller parts. */
  partial_fill_rate: rate.default(0),
  /** Chance in each second that a WebSocket connection is cut. */
  disconnect_rate: rate.default(0),
  /** Every REST call and every new connection is refused; those that are open are cut. */
  maintenance: z.boolean().default(false),
  /** How far the venue's clock is ahead of the true time, in milliseconds. */
  clock_skew_ms: z.int().min(-3_600_000).max(3_600_000).default(0),
});

export type Forecast = z.infer<typeof forecastSchema>;
type RateIn<Name> = Name extends `${string}_rate` ? Name : never;
/** What strikes by chance. */
export type FaultRate = RateIn<keyof Forecast>;

export const FAIR_WEATHER: Forecast = forecastSchema.parse({});
