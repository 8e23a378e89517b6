import pg from 'pg';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { writeAccount } from './account.mjs';
import { finalBalances } from './balances.mjs';
import { FULL_DAYS, MAIN_ACCOUNT } from './cast.mjs';
import { writeHistory } from './history.mjs';
import { createMarket } from './market.mjs';
import { createPeople } from './people.mjs';
import { mainAccountOf, readPairs } from './platform.mjs';
import { simulate } from './simulation.mjs';

/** The setting of the demo user that marks an account with demo data. */
const MARKER = 'demo-data';
const RESULTS_WITHIN_MS = 180_000;

/**
 * Fills the account of the demo user of a running platform with life-like data, and creates other users whose strategies
 * can be seen and copied. The demo user is the owner of `apiKey`, an API key with ADMIN; the first of the user's exchange accounts becomes the main account.
 *
 * @typedef {{
 *   restUrl: string, graphqlUrl?: string, paperExchangeUrl: string, databaseUrl: string, apiKey: string, seed?: string, end?: Date,
 *   days?: number, activity?: number, receiverUrl?: string, step?: (line: string) => void,
 * }} DemoDataOptions `days`: the length of the record; `activity`: the share of the usual number of trades;
 *   `receiverUrl`: a receiver for the webhook that succeeds, if later events are to be delivered, too
 *
 * @param {DemoDataOptions} options
 * @throws {Error} if the account has demo data already
 */
export async function writeDemoData({
  seed = '11',
  end = new Date(),
  days = FULL_DAYS,
  activity = 1,
  step = () => {},
  ...urls
}) {
  const { restUrl, graphqlUrl, paperExchangeUrl, apiKey } = urls;
  const demo = createClient({ restUrl, apiKey, ...(graphqlUrl === undefined ? {} : { graphqlUrl }) });
  await assertUnmarked(demo);
  const database = new pg.Client({ connectionString: urls.databaseUrl });
  await database.connect();
  try {
    const startedAt = (await database.query('SELECT clock_timestamp() AS now')).rows[0].now;
    const { pairs, pairIds } = await readPairs(demo, database);
    const market = createMarket({ pairs, seed, end: end.getTime(), days });
    const simulation = simulate({ seed, market, days, activity });
    const main = await mainAccountOf(demo);
    await demo.settings.set(MARKER, { seed, end: end.toISOString() });
    const balances = new Map([...finalBalances(simulation), [MAIN_ACCOUNT, main.balances]]);
    step(`Simulated ${days} days with ${simulation.positions.length} positions`);
    const { id: demoUserId } = await demo.me.get();
    const ids = await createPeople({
      restUrl,
      paperExchangeUrl,
      demo,
      demoUserId,
      mainAccountId: main.id,
      balances,
      pairs: pairIds,
    });
    step('Created users, exchange accounts, strategies and copiers');
    await writeHistory(database, { simulation, ids, seed, balances });
    step('Wrote trades, lots, signals, decisions and equity');
    await untilComputed(database, ids);
    step('Results are computed');
    await writeAccount(database, { ...urls, demo, simulation, ids, seed, activity, startedAt });
    step('Wrote credentials, rewards, withdrawals, events, webhooks and the request log');
    return { ids, simulation };
  } finally {
    await database.end();
  }
}

/** @param {import('@trading-automation/sdk').Client} demo */
async function assertUnmarked(demo) {
  const { status } = await outcomeOf(demo.settings.get(MARKER));
  if (status === 404) return;
  throw new Error(
    'The account has demo data already. Start the platform with `npm start -- --fresh` to begin with an empty one.',
  );
}

/**
 * Waits until the worker has computed the results of all days and the figures of all strategies.
 *
 * @param {import('pg').Client} database
 * @param {import('./trade-rows.mjs').Ids} ids
 */
async function untilComputed(database, ids) {
  const params = [[...ids.users.values()], [...ids.strategies.values()]];
  await until(
    async () => (await database.query(COUNT_WORK, params)).rows[0],
    ({ marks, figures }) => marks === 0 && figures === ids.strategies.size,
    RESULTS_WITHIN_MS,
  );
}

const COUNT_WORK = `
  SELECT (SELECT count(*)::int FROM result_marks WHERE user_id = ANY ($1)) AS marks,
    (SELECT count(*)::int FROM strategy_figures
     WHERE strategy_id = ANY ($2) AND performance ->> 'closed_count' <> '0') AS figures`;
