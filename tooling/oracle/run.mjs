import { seeded } from '../chaos/random.mjs';
import { startKillableProduct } from '../e2e/killable-product.mjs';
import { Day } from './day.mjs';
import { openParticipants } from './participants.mjs';
import { Venue } from './venue.mjs';

/**
 * Plays random days through the product until it made enough decisions, and compares all of them with the oracle.
 *
 * @param {{ seed: number, decisions: number, copiers?: number, print?: (line: string) => void, log?: (line: string) => void }} options
 *   `copiers`: of each of the two strategies; `print` receives progress and differences, `log` the services' log lines
 * @returns {Promise<{ decisions: number, outcomes: Record<string, number>, differences: object[] }>}
 */
export async function runOracle({ seed, decisions, copiers = 8, print = () => {}, log = () => {} }) {
  const product = await startKillableProduct({
    only: ['paper-exchange', 'trading-worker', 'rest-api'],
    extraEnv: { 'paper-exchange': { MARKET: 'off' } },
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
    const day = new Day({ product, venue, random, report });
    await day.open();
    print('the product runs');
    const participants = await openParticipants(product, venue, random, { strategies: 2, copiers });
    await day.begin(participants);
    print(
      `seed ${seed}: ${participants.copiers.length} copiers follow ${participants.strategies.length} strategies`,
    );
    while (day.decisions < decisions) await day.step();
    await day.close();
    return { decisions: day.decisions, outcomes: day.outcomes, differences };
  } finally {
    await product.stop();
  }
}
