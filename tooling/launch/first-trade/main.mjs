import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonIfExists } from '../files.mjs';
import { dataPaths } from '../paths.mjs';
import { playFirstTrade } from './by-cli.mjs';

/**
 * `npm run demo`: runs the first trade with commands of the CLI against a running `npm start`. Pass the same `--data` as to `npm start`.
 */
const { values: options } = parseArgs({ options: { data: { type: 'string' } } });
const paths = dataPaths(options.data === undefined ? undefined : resolve(options.data));
const state = readJsonIfExists(paths.devStateFile);
if (state === null) {
  console.error('No platform is running. Run "npm start" in another terminal first.');
  process.exit(1);
}
const startedAt = performance.now();
try {
  const { deliveries } = await playFirstTrade({
    restUrl: state.rest_url,
    paperExchangeUrl: state.paper_exchange_url,
    show: ({ command, output }) => console.log(`$ ${command}\n${output.replaceAll(/^/gm, '  ')}\n`),
  });
  const types = deliveries.map(({ event }) => event.type).join(', ');
  console.log(`Received and verified: ${types}`);
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(2)} s in all`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
