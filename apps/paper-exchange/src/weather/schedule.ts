import { z } from 'zod';
import { type Random, seededRandom } from '../random.js';
import { type Forecast, forecastSchema } from './forecast.js';

const DAY_MS = 86_400_000;

/**
 * The weather of a spell of each kind, for a severity from 0 to 1. Even at severity 1, most probabilities are below 1.
 */
const KINDS = {
  latency: (severity) => ({ latency_ms: Math.round(50 + severity * 1_950) }),
  rate_limits: (severity) => ({ rate_limit_rate: share(0.1, 0.6, severity), retry_after: 1 }),
  rate_limits_untold: (severity) => ({ rate_limit_rate: share(0.1, 0.6, severity), retry_after: 0 }),
  errors: (severity) => ({
    error_rate: share(0.1, 0.6, severity),
    call_error_rate: share(0.05, 0.3, severity),
  }),
  dropped_answers: (severity) => ({ drop_answer_rate: share(0.1, 0.6, severity) }),
  unknown_answers: (severity) => ({ unknown_answer_rate: share(0.1, 0.6, severity) }),
  duplicated_events: (severity) => ({ duplicate_event_rate: share(0.2, 0.9, severity) }),
  reordered_events: (severity) => ({ reorder_event_rate: share(0.2, 0.9, severity) }),
  lost_events: (severity) => ({ lose_event_rate: share(0.1, 0.5, severity) }),
  partial_fills: (severity) => ({ partial_fill_rate: share(0.3, 1, severity) }),
  lost_streams: (severity) => ({ disconnect_rate: share(0.1, 0.8, severity) }),
  maintenance: () => ({ maintenance: true }),
  clock_skew: (severity, random) => ({
    clock_skew_ms: Math.round((6_000 + severity * 54_000) * (random() < 0.5 ? -1 : 1)),
  }),
} as const satisfies Record<string, (severity: number, random: Random) => Partial<Forecast>>;

export type SpellKind = keyof typeof KINDS;
export const SPELL_KINDS = Object.keys(KINDS) as [SpellKind, ...SpellKind[]];

/** A range `[minimum, maximum]` of durations in milliseconds. The default minimum is also the smallest one allowed. */
const durationRange = (defaultMinMs: number, defaultMaxMs: number) =>
  z
    .tuple([z.int().min(defaultMinMs), z.int().max(DAY_MS)])
    .refine(([min, max]) => min <= max, 'the minimum must not exceed the maximum')
    .default([defaultMinMs, defaultMaxMs]);

/** The terms of a schedule. Its spells are drawn at random within these terms. */
export const scheduleSchema = z.strictObject({
  /** Equal seeds and terms give equal spells. */
  seed: z.int().min(0).max(4_294_967_295),
  /** The duration of the schedule from the admin call on. */
  lasts_ms: z.int().min(1_000).max(DAY_MS).default(600_000),
  /** The duration of one spell. */
  spell_ms: durationRange(500, 8_000),
  /** The calm time between two spells. */
  calm_ms: durationRange(0, 5_000),
  kinds: z.array(z.enum(SPELL_KINDS)).min(1).default(SPELL_KINDS),
  /** The weather between spells. During a spell, the settings that the spell does not change keep these values. */
  between: forecastSchema.prefault({}),
});

export type ScheduleTerms = z.infer<typeof scheduleSchema>;

/** One period of bad weather. `at_ms` is its start, counted from the start of the schedule. */
export interface Spell {
  readonly at_ms: number;
  readonly lasts_ms: number;
  readonly kind: SpellKind;
  readonly weather: Partial<Forecast>;
}

/** Returns all spells of a schedule in order. Every kind occurs once before a kind occurs again. */
export function planSpells({ seed, lasts_ms: total, spell_ms, calm_ms, kinds }: ScheduleTerms): Spell[] {
  const random = seededRandom(seed);
  const spells: Spell[] = [];
  let remainingKinds: SpellKind[] = [];
  for (let at = draw(calm_ms, random); at < total; ) {
    if (remainingKinds.length === 0) remainingKinds = shuffle(kinds, random);
    const kind = remainingKinds.pop() ?? kinds[0];
    if (kind === undefined) break;
    const lasts = Math.min(draw(spell_ms, random), total - at);
    spells.push({ at_ms: at, lasts_ms: lasts, kind, weather: KINDS[kind](random(), random) });
    at += lasts + draw(calm_ms, random);
  }
  return spells;
}

/** Interpolates a probability between `min` (severity 0) and `max` (severity 1), rounded to three decimals. */
function share(min: number, max: number, severity: number): number {
  return Math.round((min + (max - min) * severity) * 1_000) / 1_000;
}

/** Draws a whole number from `min` to `max`, both inclusive. */
function draw([min, max]: readonly [number, number], random: Random): number {
  return min + Math.floor(random() * (max - min + 1));
}

function shuffle(kinds: readonly SpellKind[], random: Random): SpellKind[] {
  return kinds
    .map((kind) => ({ kind, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ kind }) => kind);
}
