import { z } from 'zod';

const rate = z.number().min(0).max(1);

/** The settings of one period of weather. An omitted setting causes no fault, so an empty body means fair weather. */
export const forecastSchema = z.strictObject({
  /** The delay of every response of the venue's REST routes, in milliseconds. */
  latency_ms: z.int().min(0).max(60_000).default(0),
  /** The probability that a REST call is rejected with 429. */
  rate_limit_rate: rate.default(0),
  /** The share of these 429 responses that have a Retry-After header. `true` means all of them, `false` none. */
  retry_after: z.union([z.boolean().transform(Number), rate]).default(1),
  /** The probability that a new order is rejected with 503, without effect. */
  error_rate: rate.default(0),
  /** The probability that any REST call other than a new order is rejected with 503, without effect. */
  call_error_rate: rate.default(0),
  /** The probability that a new order is accepted but gets no response. */
  drop_answer_rate: rate.default(0),
  /** The probability that a new order is accepted but gets a 504 response, which says that the result is unknown. */
  unknown_answer_rate: rate.default(0),
  /** The probability that a user event is sent twice. */
  duplicate_event_rate: rate.default(0),
  /** The probability that a user event is sent after the event that follows it. */
  reorder_event_rate: rate.default(0),
  /** The probability that a user event is never sent although its connection stays open. */
  lose_event_rate: rate.default(0),
  /** The probability that an incoming order fills in several smaller parts. */
  partial_fill_rate: rate.default(0),
  /** The probability per second that a WebSocket connection is dropped. */
  disconnect_rate: rate.default(0),
  /** Rejects every REST call and every new connection, and drops open connections. */
  maintenance: z.boolean().default(false),
  /** How far the venue's clock is ahead of the true time, in milliseconds. */
  clock_skew_ms: z.int().min(-3_600_000).max(3_600_000).default(0),
});

export type Forecast = z.infer<typeof forecastSchema>;
type RateIn<Name> = Name extends `${string}_rate` ? Name : never;
/** The settings that are probabilities. */
export type FaultRate = RateIn<keyof Forecast>;

export const FAIR_WEATHER: Forecast = forecastSchema.parse({});
