import { type Random, seededRandom } from '../random.js';
import { FAIR_WEATHER, type FaultRate, type Forecast } from './forecast.js';
import { planSpells, type ScheduleTerms, type Spell } from './schedule.js';

interface Schedule {
  readonly terms: ScheduleTerms;
  readonly startedAt: number;
  readonly spells: readonly Spell[];
}

/** How a schedule stands: `spell` is the one that blows right now, if any. */
export interface ScheduleView extends ScheduleTerms {
  readonly started_at: string;
  readonly ends_at: string;
  readonly spell: Spell | null;
  readonly spells: readonly Spell[];
}

/**
 * The faults that the exchange is told to have: either as they were set, or by a schedule of spells. Setting the one
 * ends the other, and a schedule that is over leaves fair weather. Draws are seeded; a rate of 0 never strikes and one
 * of 1 always does.
 */
export class Weather {
  private steady: Forecast = FAIR_WEATHER;
  private schedule: Schedule | undefined;
  /** The forecast that holds until then. */
  private current: { readonly forecast: Forecast; readonly until: number } | undefined;
  private readonly listeners: (() => void)[] = [];

  constructor(
    private random: Random,
    private readonly now: () => number,
  ) {}

  set(forecast: Forecast): void {
    this.steady = forecast;
    this.schedule = undefined;
    this.change();
  }

  /** Runs a schedule from now on, and draws what strikes from its seed, too. */
  run(terms: ScheduleTerms): void {
    this.steady = FAIR_WEATHER;
    this.random = seededRandom(terms.seed);
    this.schedule = { terms, startedAt: this.now(), spells: planSpells(terms) };
    this.change();
  }

  /** The weather of this moment. */
  get(): Forecast {
    if (this.schedule === undefined) return this.steady;
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

  strikes(chance: FaultRate): boolean {
    return this.draws(this.get()[chance]);
  }

  /** Whether something of this chance, from 0 to 1, comes about. */
  draws(chance: number): boolean {
    // Nothing is drawn for what can't strike: what else is drawn doesn't depend on how often it was asked.
    return chance > 0 && this.random() < chance;
  }

  /** Called when the weather is set or a schedule begins; spells come and go without a call. */
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
