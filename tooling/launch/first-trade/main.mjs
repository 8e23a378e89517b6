import { readJsonIfThere } from '../files.mjs';
import { dataPaths } from '../paths.mjs';
import { runFirstTrade } from './scenario.mjs';

/** `npm run demo`: the first trade, step by step, against a running `npm start`. */
const state = readJsonIfThere(dataPaths().devState);
if (state === null) {
  console.error('Nothing runs here: begin with "npm start" in another terminal.');
  process.exit(1);
}
const startedAt = performance.now();
/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(2).padStart(6)} s`;
try {
  await runFirstTrade({
    restUrl: state.rest_url,
    paperExchangeUrl: state.paper_exchange_url,
    step: (name, result, ms) => console.log(`${seconds(ms)}  ${name}${result === '' ? '' : `: ${result}`}`),
  });
  console.log(`${seconds(performance.now() - startedAt)}  in all`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
