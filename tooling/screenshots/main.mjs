/**
 * `npm run screenshots [-- --data <folder>] [--only <name>] [--out <folder>]`: photographs the pages of the dashboard in both themes
 * and two widths. `--data` uses a running `npm start` with demo data, instead of starting the product. `--only` takes the scenes
 * whose names begin with this text, such as `trades`. Exits with 1 if all pictures together are larger than the limit.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startDemoProduct } from '../demo-data/start-demo-product.mjs';
import { browserMissingMessage, ensureBrowser } from '../launch/browser.mjs';
import { dataPaths, root } from '../launch/paths.mjs';
import { runningPlatform } from '../launch/running-platform.mjs';
import { photographAll } from './photograph-all.mjs';
import { sizeReport } from './size-report.mjs';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: join(root, 'docs', 'screenshots') },
  },
});
const print = (/** @type {string} */ line) =>
  console.log(`${(performance.now() / 1_000).toFixed(0).padStart(5)} s  ${line}`);

/** @returns {Promise<{ dashboardUrl: string, restUrl: string, apiKey: string, stop: () => Promise<void> }>} */
async function openProduct() {
  if (options.data === undefined) return await startDemoProduct({ step: print });
  const running = runningPlatform(dataPaths(resolve(options.data)));
  return {
    dashboardUrl: running.dashboard_url,
    restUrl: running.rest_url,
    apiKey: running.api_key,
    stop: async () => {},
  };
}

const program = await ensureBrowser(print);
if (program === null) throw new Error(browserMissingMessage());
process.env.TEST_BROWSER = program;
const product = await openProduct();
try {
  await photographAll(product, { out: options.out, only: options.only, print });
} finally {
  await product.stop();
}
const { line, isWithinLimit } = sizeReport(options.out);
print(line);
if (!isWithinLimit) process.exitCode = 1;
