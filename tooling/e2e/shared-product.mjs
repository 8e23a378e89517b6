import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Provides one product for all test files that neither kill nor reconfigure it. Jest's global set-up runs this server;
 * the product starts when the first file requests it. Each file creates its own users and accounts.
 *
 * A file that kills a service, injects faults into the paper exchange (weather), or changes rows or settings that other
 * files see, starts its own product (`startProduct`).
 *
 * @typedef {{
 *   restUrl: string, graphqlUrl: string, dashboardUrl?: string, paperExchangeUrl: string, databaseUrl: string,
 *   redisUrl: string,
 * }} Addresses `dashboardUrl` is undefined without a browser
 */

/** Options that satisfy the needs of all these files. Only the files that need a browser open the dashboard. */
const options = {
  graphqlApis: 1,
  hasDashboard: Boolean(process.env.TEST_BROWSER),
  extraEnv: { 'trading-worker': { REWARD_SIGN_UP_AMOUNT: '25' } },
};

/**
 * Serves the addresses of the product to the test processes at `url`, until `stop`.
 *
 * @param {() => Promise<import('./product.mjs').Product>} [start]
 */
export async function offerSharedProduct(start = startRealProduct) {
  /** @type {Promise<import('./product.mjs').Product> | undefined} */
  let starting;
  const server = createServer(async (request, response) => {
    try {
      starting ??= start();
      const product = await starting;
      const isForLines = request.url === '/lines';
      response.end(JSON.stringify(isForLines ? product.lines : addressesOf(product)));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      const product = await starting?.catch(() => undefined);
      starting = undefined;
      await product?.stop();
    },
  };
}

async function startRealProduct() {
  const { startProduct } = await import('./product.mjs');
  return await startProduct(options);
}

/** @param {import('./product.mjs').Product} product @returns {Addresses} */
const addressesOf = (product) => ({
  restUrl: product.restUrl,
  graphqlUrl: product.urlOf('graphql-api'),
  ...(options.hasDashboard ? { dashboardUrl: product.urlOf('dashboard') } : {}),
  paperExchangeUrl: product.paperExchangeUrl,
  databaseUrl: product.databaseUrl,
  redisUrl: product.redisUrl,
});

/** Opens the product that the files of this run share. @param {string} [url] the URL of `offerSharedProduct` */
export async function openSharedProduct(url = process.env.TEST_SHARED_PRODUCT) {
  if (url === undefined) throw new Error('TEST_SHARED_PRODUCT is not set: run the tests with npm test');
  const addresses = /** @type {Addresses} */ (await ask(url));
  return {
    ...addresses,
    /** What the services have logged so far. */
    lines: async () => /** @type {string[]} */ (await ask(`${url}/lines`)),
  };
}

/** @typedef {Awaited<ReturnType<typeof openSharedProduct>>} SharedProduct */

/** @param {string} url */
async function ask(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the shared product did not start: ${await response.text()}`);
  return await response.json();
}
