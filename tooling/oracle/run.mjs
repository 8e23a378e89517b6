import { seeded } from '../chaos/random.mjs';
import { startKillableProduct } from '../e2e/killable-product.mjs';
import { Day } from './day.mjs';
import { openParticipants } from './participants.mjs';
import { Venue } from './venue.mjs';

/**
 * Plays random days through the product until it made enough decisions, and compares all of them with the oracle.
 *
 * @param {{ seed: number, decisions: number, copiers?: number, tradingType?: import('./markets.mjs').TradingType, waitsForEquity?: boolean, stopsAtDifference?: boolean, print?: (line: string) => void, log?: (line: string) => void }} options
 *   `copiers`: of each of the two strategies; `waitsForEquity`: compares the last recorded equities exactly, which takes a minute;
 *   `stopsAtDifference`: ends the day at its first difference; `print` receives progress and differences, `log` the services' log lines
 * @returns {Promise<{ decisions: number, decks: number, outcomes: Record<string, number>, differences: object[] }>} `decks`: decks of moves that were played to the end
 */
export async function runOracle({
  seed,
  decisions,
  copiers = 8,
  tradingType = 'spot',
  waitsForEquity = false,
  stopsAtDifference = false,
  print = () => {},
  log = () => {},
}) {
  const product = await startKillableProduct({
    only: ['paper-exchange', 'trading-worker', 'rest-api'],
    // Only moves change prices and pay fundings.
    extraEnv: { 'paper-exchange': { MARKET: 'off', SCHEDULED_PAYMENTS: 'off' } },
    ...(tradingType === 'spot' ? {} : { paperTradingTypes: ['spot', 'perpetual'] }),
    print: log,
  });
  try {
    const random = seeded(seed);
    const venue = new Venue(product.paperExchangeUrl);
    /** @type {object[]} */
    const differences = [];
    const report = (/** @type {object} */ difference) => {
      differences.push(difference);
      print(`DIFFERENCE ${JSON.stringify(difference)}`);
    };
    const day = new Day({ product, venue, random, report, waitsForEquity, tradingType });
    await day.open();
    print('the product runs');
    const participants = await openParticipants(product, venue, random, {
      strategies: 2,
      copiers,
      tradingType,
    });
    await day.begin(participants);
    print(
      `seed ${seed}: ${participants.copiers.length} copiers follow ${participants.strategies.length} strategies`,
    );
    const isOver = () => stopsAtDifference && differences.length > 0;
    while (day.decisions < decisions && !isOver()) {
      await day.step();
      log(`move ${day.steps}: ${day.move}`);
    }
    print(`${day.steps} moves played`);
    if (!isOver()) await day.close();
    if (day.refusals > 0) print(`${day.refusals} moves were refused`);
    print(`loss limits stopped ${day.lossStops} copiers`);
    return { decisions: day.decisions, decks: day.deck.finished, outcomes: day.outcomes, differences };
  } finally {
    await product.stop();
  }
}
