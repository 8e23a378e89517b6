import { openHome } from '../cli-runs.mjs';
import { openSharedProduct } from '../shared-product.mjs';
import { openBrowser } from './browser.mjs';

/** Opens a browser and homes of the command line for the product that the test files share. */
export async function openSharedDashboard() {
  const product = await openSharedProduct();
  const { dashboardUrl, graphqlUrl } = product;
  if (dashboardUrl === undefined)
    throw new Error('the shared product has no dashboard: TEST_BROWSER is not set');
  const browser = await openBrowser(dashboardUrl);
  /** @type {ReturnType<typeof openHome>[]} */
  const homes = [];
  return {
    product,
    browser,
    /** Creates the home folder of a person who uses the command line. */
    openHome() {
      const home = openHome({ ...product, urlOf: () => graphqlUrl });
      homes.push(home);
      return home;
    },
    async close() {
      await browser.close();
      await Promise.all(homes.map((home) => home.close()));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openSharedDashboard>>} SharedDashboard */
