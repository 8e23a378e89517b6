import { runChaos } from '../chaos/run.mjs';

/** The storm of `npm run chaos`, short. Another seed: CHAOS_SEED=7. */
const seed = Number(process.env.CHAOS_SEED ?? '1');
/** On a slow machine it goes on until there was as much of it. */
const least = { orders: 20, signals: 20 };

it('a minute or more of bad weather, killed workers, Postgres and Redis: no order twice, no copy lost, every balance and lot the exchange’s', async () => {
  const { done, figures, faults } = await runChaos({ seconds: 60, seed, least });
  expect(faults).toEqual([]);
  // The storm was one: all of it happened.
  expect(done.orders).toBeGreaterThan(least.orders);
  expect(done.kills.postgres ?? 0).toBeGreaterThan(0);
  expect(done.kills.redis ?? 0).toBeGreaterThan(0);
  expect(figures.signals).toBeGreaterThan(least.signals);
  expect(Object.values(figures.decisions).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1_000);
}, 600_000);
