/// <reference lib="dom" />
/**
 * Brings a page into one of its states. Only the far side of the network is replaced: the responses of the API are held
 * back, or replaced by an error of the API.
 */

/** @typedef {'content' | 'loading' | 'error' | 'no permission' | 'stale'} PageState */

/** @type {readonly PageState[]} */
export const STATES = ['content', 'loading', 'error', 'no permission', 'stale'];

const DATA = '**/api/v1/**';
const REQUEST_ID = 'req_of_the_test';

const failure = (/** @type {number} */ status, /** @type {string} */ code) => ({
  status,
  headers: { 'x-request-id': REQUEST_ID },
  contentType: 'application/json',
  body: JSON.stringify({ success: false, error: { code, message: 'The API said so.', details: [] } }),
});
const FAILURES = {
  error: failure(503, 'service_unavailable'),
  'no permission': failure(403, 'permission_denied'),
};

/**
 * Opens a page in a state, and waits until it shows it.
 *
 * @param {import('playwright-core').Page} page
 * @param {import('./pages.mjs').DashboardPage} dashboardPage
 * @param {PageState} state
 */
export async function openInState(page, { path, heading }, state) {
  await page.unroute(DATA);
  const title = page.getByRole('heading', { level: 1, name: heading });
  if (state === 'loading') await page.route(DATA, () => undefined);
  if (state === 'error' || state === 'no permission')
    await page.route(DATA, (route) => route.fulfill(FAILURES[state]));
  await page.goto(path);
  await title.first().waitFor();
  if (state === 'loading') await page.locator('.animate-pulse').first().waitFor();
  else if (state === 'error') {
    await page.getByText('The service does not respond right now.').first().waitFor();
    await page.getByText(REQUEST_ID).first().waitFor();
  } else if (state === 'no permission')
    await page.getByText('This session may not see this.').first().waitFor();
  else await page.locator('.animate-pulse').waitFor({ state: 'detached' });
  if (state === 'stale') await makeStale(page);
}

/** Lets the page load everything again, which fails. @param {import('playwright-core').Page} page */
async function makeStale(page) {
  await page.route(DATA, (route) => route.fulfill(FAILURES.error));
  for (const isHidden of [true, false])
    await page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  await page
    .getByText(/may be old/)
    .first()
    .waitFor();
}
