import { type Random, seededRandom } from '../random.js';
import { FAIR_WEATHER, type FaultRate, type Forecast } from './forecast.js';
import { planSpells, type ScheduleTerms, type Spell } from './schedule.js';

interface Schedule {
  readonly terms: ScheduleTerms;
  readonly startedAt: number;
  readonly spells: readonly Spell[];
}

/** The schedule in the format of the admin API. `spell` is the current spell; null between spells. */
export interface ScheduleView extends ScheduleTerms {
  readonly started_at: string;
  readonly ends_at: string;
  readonly spell: Spell | null;
  readonly spells: readonly Spell[];
}

/**
 * Determines the faults that the exchange injects. `set` sets their rates directly, `run` by a schedule of spells; each
 * call replaces the weather before it. After a schedule has ended, the weather is fair. A seeded generator draws which
 * faults apply. A fault with rate 0 never applies, and a fault with rate 1 always applies.
 */
export class Weather {
  /** The weather while no schedule runs. */
  private unscheduled: Forecast = FAIR_WEATHER;
  private schedule: Schedule | undefined;
  /** The weather that applies until `until`. */
  private current: { readonly forecast: Forecast; readonly until: number } | undefined;
  private readonly listeners: (() => void)[] = [];

  constructor(
    private random: Random,
    private readonly now: () => number,
  ) {}

  set(forecast: Forecast): void {
    this.unscheduled = forecast;
    this.schedule = undefined;
    this.change();
  }

  /** Starts a schedule. Its seed also determines which faults apply. */
  run(terms: ScheduleTerms): void {
    this.unscheduled = FAIR_WEATHER;
    this.random = seededRandom(terms.seed);
    this.schedule = { terms, startedAt: this.now(), spells: planSpells(terms) };
    this.change();
  }

  /** Returns the current weather. */
  get(): Forecast {
    if (this.schedule === undefined) return this.unscheduled;
    const now = this.now();
    if (this.current === undefined || now >= this.current.until)
      this.current = this.evaluateSchedule(this.schedule, now);
    return this.current.forecast;
  }

  scheduled(): ScheduleView | null {
    this.get();
    if (this.schedule === undefined) return null;
    const { terms, startedAt, spells } = this.schedule;
    return {
      ...terms,
      started_at: new Date(startedAt).toISOString(),
      ends_at: new Date(startedAt + terms.lasts_ms).toISOString(),
      spell: spellAt(spells, this.now() - startedAt) ?? null,
      spells,
    };
  }

  /** Draws at random whether the fault with this rate applies now. */
  applies(rate: FaultRate): boolean {
    return this.appliesWith(this.get()[rate]);
  }

  /** Draws at random whether a fault with this probability, from 0 to 1, applies now. */
  appliesWith(probability: number): boolean {
    // Do not draw for a probability of 0, so that checks of a fault that is off do not change the other faults.
    return probability > 0 && this.random() < probability;
  }

  /** Returns the time of the venue's clock, which it reports and with which it checks the timestamps of requests. */
  venueTime(): number {
    return this.now() + this.get().clock_skew_ms;
  }

  /** Registers a listener, which is called when the weather is set or a schedule starts, but not for each spell. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private evaluateSchedule({ terms, startedAt, spells }: Schedule, now: number) {
    const elapsed = now - startedAt;
    if (elapsed >= terms.lasts_ms) {
      this.schedule = undefined;
      return { forecast: FAIR_WEATHER, until: Number.POSITIVE_INFINITY };
    }
    const spell = spellAt(spells, elapsed);
    if (spell !== undefined) {
      const forecast = { ...terms.between, ...spell.weather };
      return { forecast, until: startedAt + spell.at_ms + spell.lasts_ms };
    }
    const next = spells.find(({ at_ms }) => at_ms > elapsed)?.at_ms ?? terms.lasts_ms;
    return { forecast: terms.between, until: startedAt + next };
  }

  private change(): void {
    this.current = undefined;
    for (const listener of this.listeners) listener();
  }
}

function spellAt(spells: readonly Spell[], elapsedMs: number): Spell | undefined {
  return spells.find(({ at_ms, lasts_ms }) => at_ms <= elapsedMs && elapsedMs < at_ms + lasts_ms);
}
