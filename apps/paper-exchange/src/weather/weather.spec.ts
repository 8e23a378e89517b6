import { readFileSync } from 'node:fs';
import { seededRandom } from '../random.js';
import { FAIR_WEATHER, forecastSchema } from './forecast.js';
import { planSpells, SPELL_KINDS, scheduleSchema } from './schedule.js';
import { Weather } from './weather.js';

const START = Date.UTC(2026, 0, 1);
const termsOf = (overrides: object) => scheduleSchema.parse({ seed: 1, ...overrides });

function start() {
  const clock = { at: START };
  return { clock, weather: new Weather(seededRandom(1), () => clock.at) };
}

describe('a schedule of weather', () => {
  it('has equal spells for equal seeds, and different spells for different seeds', () => {
    const plan = (seed: number) => planSpells(termsOf({ seed }));
    expect(plan(5)).toEqual(plan(5));
    expect(plan(5)).not.toEqual(plan(6));
  });

  it('has each kind once before a kind repeats, durations within its terms, and no spell after its end', () => {
    const terms = termsOf({ lasts_ms: 300_000, spell_ms: [500, 3_000], calm_ms: [100, 2_000] });
    const spells = planSpells(terms);
    expect(new Set(spells.slice(0, SPELL_KINDS.length).map(({ kind }) => kind))).toEqual(
      new Set(SPELL_KINDS),
    );
    let endedAt = 0;
    for (const [index, { at_ms, lasts_ms, weather }] of spells.entries()) {
      expect(at_ms - endedAt).toBeGreaterThanOrEqual(100);
      expect(at_ms - endedAt).toBeLessThanOrEqual(2_000);
      expect(lasts_ms).toBeLessThanOrEqual(3_000);
      if (index < spells.length - 1) expect(lasts_ms).toBeGreaterThanOrEqual(500);
      expect(forecastSchema.parse(weather)).toMatchObject(weather);
      endedAt = at_ms + lasts_ms;
    }
    expect(endedAt).toBeLessThanOrEqual(300_000);
  });

  it('applies its spells on top of the weather between them, and is followed by fair weather', () => {
    const { clock, weather } = start();
    const terms = termsOf({ lasts_ms: 120_000, calm_ms: [500, 500], between: { latency_ms: 5 } });
    weather.run(terms);
    const { spells } = weather.scheduled()!;
    for (const spell of spells) {
      clock.at = START + spell.at_ms - 1;
      expect(weather.get()).toEqual({ ...FAIR_WEATHER, latency_ms: 5 });
      clock.at += 1;
      expect(weather.get()).toEqual({ ...FAIR_WEATHER, latency_ms: 5, ...spell.weather });
      expect(weather.scheduled()?.spell).toEqual(spell);
      clock.at += spell.lasts_ms - 1;
      expect(weather.get()).toMatchObject(spell.weather);
    }
    clock.at = START + 120_000;
    expect([weather.get(), weather.scheduled()]).toEqual([FAIR_WEATHER, null]);
  });

  it('has the same faults for equal seeds, regardless of faults drawn before it started', () => {
    const draw = (before: number) => {
      const { weather } = start();
      for (let n = 0; n < before; n += 1) weather.appliesWith(0.5);
      weather.run(termsOf({ seed: 9, between: { error_rate: 0.5 }, calm_ms: [60_000, 60_000] }));
      return Array.from({ length: 50 }, () => weather.applies('error_rate'));
    };
    expect(draw(0)).toEqual(draw(7));
    expect(new Set(draw(0))).toEqual(new Set([true, false]));
  });
});

describe('the guide to bad weather', () => {
  const guide = readFileSync(new URL('../../../../docs/guides/bad-weather.md', import.meta.url), 'utf8');

  it('names every field of the weather and of a schedule and every kind of spell, and no unknown field', () => {
    const names = [...Object.keys(FAIR_WEATHER), ...Object.keys(scheduleSchema.shape)];
    for (const name of [...names, ...SPELL_KINDS]) expect(guide).toContain(`\`${name}\``);
    const rows = [...guide.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(names.toSorted());
  });

  it('shows only valid request bodies', () => {
    const bodies = [...guide.matchAll(/-d '(\{.*\})'/g)].map(([, text]) => JSON.parse(text ?? '') as object);
    expect(bodies.length).toBeGreaterThanOrEqual(4);
    for (const body of bodies) {
      if ('symbol' in body) continue;
      expect(('seed' in body ? scheduleSchema : forecastSchema).safeParse(body).error).toBeUndefined();
    }
  });
});
