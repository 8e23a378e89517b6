import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dataPaths } from '../launch/paths.mjs';
import { runningPlatform } from '../launch/running-platform.mjs';
import { writeDemoData } from './write-demo-data.mjs';

/** `npm run demo-data [-- --data <folder>]`: fills the account of the demo user of a running `npm start`. */
const { values: options } = parseArgs({ options: { data: { type: 'string' }, seed: { type: 'string' } } });
try {
  const paths = dataPaths(options.data === undefined ? undefined : resolve(options.data));
  const platform = runningPlatform(paths);
  await writeDemoData({
    restUrl: platform.rest_url,
    graphqlUrl: platform.graphql_url,
    paperExchangeUrl: platform.paper_exchange_url,
    databaseUrl: platform.database_url,
    apiKey: platform.api_key,
    step: (line) => console.log(`${(performance.now() / 1000).toFixed(1)} s  ${line}`),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
