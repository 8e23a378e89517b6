import { chromium } from 'playwright-core';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
];
const TIMEOUT_MS = 20_000;

/**
 * Opens a browser for the tests of the dashboard. Each context has its own cookies, as each person has.
 *
 * @param {string} dashboardUrl
 */
export async function openBrowser(dashboardUrl) {
  const browser = await chromium.launch({
    executablePath: String(process.env.TEST_BROWSER),
    args: ARGUMENTS,
  });
  return {
    /**
     * Opens a tab of a new person. `problems` collects errors of the console and of the page, such as violations of the
     * Content-Security-Policy.
     *
     * @param {import('playwright-core').BrowserContextOptions} [options]
     */
    async newPerson(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        reducedMotion: 'reduce',
        ...options,
        baseURL: dashboardUrl,
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      /** @type {string[]} */
      const problems = [];
      const watch = (/** @type {import('playwright-core').Page} */ page) => {
        page.on('pageerror', ({ message }) => problems.push(message));
        page.on('console', (message) => {
          if (message.type() === 'error') problems.push(`${message.text()} (${message.location().url})`);
        });
      };
      context.on('page', watch);
      const page = await context.newPage();
      return { context, page, problems };
    },
    close: () => browser.close(),
  };
}

/** @typedef {Awaited<ReturnType<typeof openBrowser>>} Browser */
/** @typedef {Awaited<ReturnType<Browser['newPerson']>>} Person */

/**
 * Signs in with an API key, the fastest way.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} apiKey
 */
export async function signInByApiKey(page, apiKey) {
  await page.goto('/sign-in');
  await page.getByRole('tab', { name: 'API key' }).click();
  await page.getByPlaceholder('svc_…').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}
