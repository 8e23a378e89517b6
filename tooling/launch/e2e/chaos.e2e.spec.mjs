import { runChaos } from '../chaos/run.mjs';

/** The storm of `npm run chaos`, short. Another seed: CHAOS_SEED=7. */
const seed = Number(process.env.CHAOS_SEED ?? '1');

it('a minute of bad weather, killed workers, Postgres and Redis: no order twice, no copy lost, every balance and lot the exchange’s', async () => {
  const { done, figures, faults } = await runChaos({ seconds: 60, seed });
  expect(faults).toEqual([]);
  // The storm was one: all of it happened.
  expect(done.orders).toBeGreaterThan(20);
  expect(done.kills.postgres ?? 0).toBeGreaterThan(0);
  expect(done.kills.redis ?? 0).toBeGreaterThan(0);
  expect(figures.signals).toBeGreaterThan(20);
  expect(Object.values(figures.decisions).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1_000);
}, 600_000);
