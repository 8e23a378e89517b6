import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonIfThere } from '../files.mjs';
import { dataPaths } from '../paths.mjs';
import { playFirstTrade } from './by-cli.mjs';

/**
 * `npm run demo`: the first trade, command by command, against a running `npm start`. `--data` is that of `npm start`.
 */
const { values: options } = parseArgs({ options: { data: { type: 'string' } } });
const paths = dataPaths(options.data === undefined ? undefined : resolve(options.data));
const state = readJsonIfThere(paths.devState);
if (state === null) {
  console.error('Nothing runs here: begin with "npm start" in another terminal.');
  process.exit(1);
}
const startedAt = performance.now();
try {
  const { deliveries } = await playFirstTrade({
    restUrl: state.rest_url,
    paperExchangeUrl: state.paper_exchange_url,
    show: ({ command, output }) => console.log(`$ ${command}\n${output.replaceAll(/^/gm, '  ')}\n`),
  });
  const kinds = deliveries.map(({ event }) => event.type).join(', ');
  console.log(`Received and verified: ${kinds}`);
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(2)} s in all`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
