/** Starts the product, its demo account and a browser for `dashboard.mjs`. */

import { startDemoProduct } from '../tooling/demo-data/start-demo-product.mjs';
import { openBrowser, signInByApiKey } from '../tooling/e2e/dashboard/browser.mjs';
import { browserMissingMessage, ensureBrowser } from '../tooling/launch/browser.mjs';
import { until } from '../tooling/launch/first-trade/scenario.mjs';

/** The page that says that an address does not exist. Its frame, styles and scripts are those of every page of the build. */
export const EMPTY_PAGE = { path: '/empty', url: '/empty', heading: 'This page does not exist.' };

/** Functions that release what was opened; `close` calls the newest first. */
const cleanup = [];

/** Calls `release` at the end of the run. */
export const atEnd = (release) => void cleanup.push(release);

export async function close() {
  while (cleanup.length > 0) await cleanup.pop()();
}

/** Starts everything. It runs until `close`. */
export async function startEnvironment(print) {
  const program = await ensureBrowser(print);
  if (program === null) throw new Error(browserMissingMessage());
  process.env.TEST_BROWSER = program;
  const product = await startDemoProduct({ step: print });
  cleanup.push(() => product.stop());
  const browser = await openBrowser(product.dashboardUrl);
  cleanup.push(() => browser.close());
  return { product, browser };
}

const WARM_UP_REQUESTS = 8;
/** The browser stores how to write dates, and of a person with a finished checklist that it is finished. */
const COOKIES = ['reading'];
export const COOKIES_OF_FINISHED = [...COOKIES, 'first-steps'];

/** Signs in, and waits until the browser knows the person. @returns the cookies of the session, for further tabs */
export async function signIn({ browser }, apiKey, cookies = COOKIES) {
  const { context, page } = await browser.newPerson();
  await signInByApiKey(page, apiKey);
  await until(
    async () => (await context.cookies()).map(({ name }) => name),
    (names) => cookies.every((name) => names.includes(name)),
  );
  const session = await context.storageState();
  await context.close();
  return session;
}

/** Requests each page several times, because the code of a server that has just started is not optimised yet. */
export async function warmUp({ browser }, session, pages) {
  const { context } = await browser.newPerson({ storageState: session });
  for (const { url } of pages)
    for (let request = 0; request < WARM_UP_REQUESTS; request++) {
      const response = await context.request.get(url);
      if (response.status() >= 500) throw new Error(`${url}: HTTP ${response.status()}`);
      await response.dispose();
    }
  await context.close();
}

/** Opens a page in a tab of its own, and closes the tab after the work. */
export async function inTab({ browser }, session, { url, heading }, work) {
  const { context, page } = await browser.newPerson({
    reducedMotion: 'no-preference',
    storageState: session,
  });
  try {
    await page.goto(url);
    await page.getByRole('heading', { level: 1, name: heading }).first().waitFor();
    return await work(page, context);
  } finally {
    await context.close();
  }
}
