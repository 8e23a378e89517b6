import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '../e2e/product.mjs';
import { ensureDemo } from '../launch/demo.mjs';
import { startTestServers } from '../launch/test-servers.mjs';
import { writeDemoData } from './write-demo-data.mjs';

/**
 * Starts the built product with its dashboard and a filled demo account, on free ports and with servers of its own.
 *
 * @param {{ step?: (line: string) => void, days?: number, activity?: number }} [options] as those of `writeDemoData`
 */
export async function startDemoProduct({ step = () => {}, ...size } = {}) {
  const servers = await startTestServers({ postgres: true, redis: false });
  process.env.TEST_DATABASE_URL = servers.databaseUrl;
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-demo-product-'));
  /** @type {Awaited<ReturnType<typeof startProduct>> | undefined} */
  let product;
  const stop = async () => {
    await product?.stop();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    product = await startProduct({ graphqlApis: 1, hasDashboard: true });
    step('The product runs');
    const { api_key: apiKey } = await ensureDemo(join(folder, 'demo.json'), product);
    const { restUrl, paperExchangeUrl, databaseUrl } = product;
    const graphqlUrl = product.urlOf('graphql-api');
    await writeDemoData({ restUrl, graphqlUrl, paperExchangeUrl, databaseUrl, apiKey, step, ...size });
    return { ...product, dashboardUrl: product.urlOf('dashboard'), graphqlUrl, apiKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof startDemoProduct>>} DemoProduct */
