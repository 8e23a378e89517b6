import { equityHistory, finalBalances } from './balances.mjs';
import { createMarket, DAY_MS, PAIRS } from './market.mjs';
import { flowsOf, resultOf, simulate } from './simulation.mjs';

const END = Date.parse('2026-03-10T15:20:00Z');
const settings = { seed: '11', days: 120, activity: 1 };

function simulated({ end = END, seed = settings.seed } = {}) {
  const pairs = PAIRS.map((pair, place) => ({
    ...pair,
    base: pair.symbol.split('/')[0],
    isListed: place < 3,
  }));
  const market = createMarket({ pairs, seed, end, days: settings.days });
  return simulate({ ...settings, seed, market });
}

const simulation = simulated();

/** What is compared of a simulation: amounts and times before the end. */
const outlineOf = ({ positions, market }) =>
  positions.map(({ account, round }) => [
    account,
    round.entry.amount,
    market.end - round.entry.at,
    round.exits.length,
  ]);

it('equal seeds give equal records, and another seed another one', () => {
  expect(outlineOf(simulated())).toEqual(outlineOf(simulation));
  expect(outlineOf(simulated({ seed: '12' }))).not.toEqual(outlineOf(simulation));
});

it('a later end moves the record', () => {
  const later = simulated({ end: END + 9 * DAY_MS + 7_000_000 });
  const lengths = [later, simulation].map(({ positions }) => positions.length);
  expect(Math.abs(lengths[0] - lengths[1])).toBeLessThan(10);
  expect(Math.max(...later.positions.map(({ round }) => round.entry.at))).toBeGreaterThan(END + 8 * DAY_MS);
});

it('the strategies of the demo user are a good, a mediocre and a losing one', () => {
  const { positions } = simulation;
  const resultsOf = (key) =>
    positions
      .filter(({ strategy, round }) => strategy === key && round.exits.at(-1)?.intent === 'CLOSE')
      .reduce((sum, { round }) => sum + resultOf(round), 0);
  expect(resultsOf('momentum') / 1_200_000).toBeGreaterThan(0.05);
  expect(Math.abs(resultsOf('reversion')) / 800_000).toBeLessThan(0.05);
  expect(resultsOf('scalping') / 500_000).toBeLessThan(-0.02);
});

it('no account sells more than it holds or spends more than it has', () => {
  for (const [account, balances] of finalBalances(simulation)) {
    const held = {
      USDT: balances.USDT - flowsOf(simulation, account).reduce((sum, { changes }) => sum + changes.USDT, 0),
    };
    for (const { changes } of flowsOf(simulation, account))
      for (const [asset, change] of Object.entries(changes)) {
        held[asset] = (held[asset] ?? 0) + change;
        expect(held[asset]).toBeGreaterThan(-1e-6);
      }
  }
});

it('the equity of an account begins with its capital', () => {
  const [first] = equityHistory(simulation, 'demo.momentum', finalBalances(simulation).get('demo.momentum'));
  expect(first.amount).toBeCloseTo(1_200_000, 2);
});

it('a copier waits with an exit below the minimum', () => {
  const decisions = simulation.copies.flatMap((copy) => copy.decisions);
  const [waiting] = decisions.filter(({ isWaiting }) => isWaiting);
  expect(waiting).toMatchObject({ code: 'BELOW_MINIMUM', order: null, copier: 'demo.volatility' });
});
