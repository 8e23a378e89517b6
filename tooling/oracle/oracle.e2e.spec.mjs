import { runOracle } from './run.mjs';

/** For other days, set ORACLE_SEED. `npm run oracle` prints the differences with their inputs. */
const seed = Number(process.env.ORACLE_SEED ?? '1');

it('200 decisions, their orders, lots and figures are those that the documents demand', async () => {
  const { decisions, decks, outcomes, differences } = await runOracle({ seed, decisions: 200 });
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThanOrEqual(200);
  // A deck contains every kind of move.
  expect(decks).toBeGreaterThanOrEqual(1);
  // Checks that the day really contained copies, reductions and several reasons to skip.
  const names = Object.keys(outcomes);
  expect(names).toContain('COPIED');
  expect(names.filter((name) => name.startsWith('SKIPPED')).length).toBeGreaterThanOrEqual(4);
}, 600_000);

it('120 decisions on perpetuals, their orders, lots, funding and figures are those that the documents demand', async () => {
  const options = /** @type {const} */ ({ seed, decisions: 120, tradingType: 'perpetual' });
  const { decisions, outcomes, differences } = await runOracle(options);
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThanOrEqual(120);
  const names = Object.keys(outcomes);
  expect(names).toContain('COPIED');
  expect(names.filter((name) => name.startsWith('SKIPPED')).length).toBeGreaterThanOrEqual(3);
}, 600_000);
