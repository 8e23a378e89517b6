/// <reference lib="dom" />
/**
 * Brings a page into one of its states. Only the far side of the network is replaced: the responses of the API are held
 * back, emptied, or replaced by an error of the API.
 */
import { withRecords } from './pages.mjs';

/** @typedef {'content' | 'loading' | 'empty' | 'error' | 'no permission' | 'stale'} PageState */
/** @typedef {import('./pages.mjs').DashboardPage} DashboardPage */
/** @typedef {import('playwright-core').Page} Page */

/** @type {readonly PageState[]} */
export const STATES = ['content', 'loading', 'empty', 'error', 'no permission', 'stale'];

const DATA = /\/api\/(?:v1\/|openapi|graphql|session\/)/;
const REQUEST_ID = 'req_01kqz3v5t8n2c7x4m6b9d0f1gh';
const SKELETON = '.animate-pulse';

/**
 * An error response of the API.
 *
 * @param {number} status
 * @param {{ code: string, message: string, details: readonly object[] }} error
 */
const failure = (status, error) => ({
  status,
  headers: { 'x-request-id': REQUEST_ID },
  contentType: 'application/json',
  body: JSON.stringify({ success: false, error: { ...error, request_id: REQUEST_ID } }),
});
const UNAVAILABLE = failure(503, {
  code: 'service_unavailable',
  message: 'A part of the service does not respond.',
  details: [],
});
const DENIED = failure(403, {
  code: 'permission_denied',
  message: 'The credential lacks a permission that the operation requires.',
  details: [{ code: 'permission_needed', message: 'This needs the permission READ.', permission: 'READ' }],
});

/** The status of responses that a state consists of. */
const STATUS = { empty: 404, error: 503, 'no permission': 403, stale: 503 };

/** A page without data, from which a link leads to the page that is checked. */
const STARTING_PAGE = '/no-such-page';

/**
 * Returns whether a problem of the browser is a response that the page shows in this state.
 *
 * @param {DashboardPage} dashboardPage
 * @param {PageState} state
 */
export const isExpectedIn =
  ({ status }, state) =>
  (/** @type {string} */ problem) => {
    const [, responded] =
      /^Failed to load resource: the server responded with a status of (\d+)/.exec(problem) ?? [];
    return (
      responded !== undefined &&
      ([Object(STATUS)[state], status].includes(Number(responded)) || problem.includes(STARTING_PAGE))
    );
  };

/** The person whose browser shows the page. @param {DashboardPage} dashboardPage @param {PageState} state */
export function personOf({ isSignedOut = false, empty, refusal }, state) {
  if (isSignedOut) return 'visitor';
  if (state === 'empty' && empty?.isByResponse !== true) return 'newcomer';
  return state === 'no permission' && refusal !== undefined ? 'reader' : 'trader';
}

/**
 * Opens a page in a state, and waits until it shows it.
 *
 * @param {Page} page
 * @param {DashboardPage} dashboardPage
 * @param {PageState} state
 * @param {Readonly<Record<string, string>>} records
 */
export async function openInState(page, dashboardPage, state, records) {
  // The page before it must cause no more problems.
  await page.goto('about:blank');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // A new account signs its browser in.
  if (dashboardPage.isSignedOut) await page.context().clearCookies();
  await replaceResponses(page, dashboardPage, state);
  const path =
    (state === 'empty' && dashboardPage.empty?.path) || (dashboardPage.path ?? dashboardPage.route);
  await navigate(page, dashboardPage, state, withRecords(path, records));
  if (state !== 'loading') await dashboardPage.act?.(page);
  await untilShown(page, dashboardPage, state);
  if (state === 'stale') await makeStale(page, dashboardPage);
}

/**
 * A page that is opened arrives with its data. A page that a link leads to loads them, so that responses can be replaced.
 *
 * @param {Page} page
 * @param {DashboardPage} dashboardPage
 * @param {PageState} state
 * @param {string} path
 */
async function navigate(page, { isSignedOut = false, empty }, state, path) {
  const isReplaced = LOADED_BY_BROWSER.includes(state) || (state === 'empty' && empty?.isByResponse === true);
  if (isSignedOut || !isReplaced) return void (await page.goto(path));
  await page.goto(STARTING_PAGE);
  await page.getByRole('heading', { name: 'This page does not exist.' }).waitFor();
  // As a link of Next.js does.
  await page.waitForFunction(() => Object(window).next?.router !== undefined);
  await page.evaluate((to) => Object(window).next.router.push(to), path);
}
/** @type {readonly PageState[]} */
const LOADED_BY_BROWSER = ['loading', 'error', 'no permission'];

/** @param {Page} page @param {DashboardPage} dashboardPage @param {PageState} state */
async function replaceResponses(page, { empty, refusal }, state) {
  if (state === 'loading') await page.route(DATA, () => undefined);
  if (state === 'error') await page.route(DATA, (route) => route.fulfill(UNAVAILABLE));
  if (state === 'no permission' && refusal === undefined)
    await page.route(DATA, (route) => route.fulfill(DENIED));
  if (state === 'empty' && empty?.isByResponse === true)
    await page.route(DATA, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const isList = Array.isArray(body.data) && body.pagination !== undefined;
      await route.fulfill({ response, json: isList ? { ...body, ...NOTHING } : body });
    });
}
const NOTHING = { data: [], pagination: { limit: 50, has_more: false, next_cursor: null, total: 0 } };

/** The part of the page that shows its state. @param {Page} page @param {DashboardPage} dashboardPage */
const partOf = (page, { isDrawer = false }) => (isDrawer ? page.getByRole('dialog') : page.locator('main'));

/** @param {Page} page @param {DashboardPage} dashboardPage @param {PageState} state */
async function untilShown(page, dashboardPage, state) {
  const part = partOf(page, dashboardPage);
  const shows = (/** @type {string} */ text) =>
    part.getByText(text).filter({ visible: true }).first().waitFor();
  switch (state) {
    case 'loading':
      return await part.locator(SKELETON).filter({ visible: true }).first().waitFor();
    case 'empty':
      await shows(String(dashboardPage.empty?.text));
      await shows(String(dashboardPage.empty?.next));
      return await untilLoaded(page);
    case 'error':
      if (dashboardPage.failure !== undefined) return await shows(dashboardPage.failure);
      await shows('The service does not respond right now.');
      await shows(REQUEST_ID);
      return await part.getByRole('button', { name: 'Try again' }).first().waitFor();
    case 'no permission':
      if (dashboardPage.refusal !== undefined) return await shows(dashboardPage.refusal);
      await shows('This session may not do this.');
      return await shows('It has no READ permission.');
    default:
      await part.locator(dashboardPage.shows).filter({ visible: true }).first().waitFor();
      // The code of a sign-in has a light that pulses.
      return dashboardPage.isSignedOut ? undefined : await untilLoaded(page);
  }
}

/** Waits until nothing on the page is still loading. @param {Page} page */
const untilLoaded = (page) =>
  page.waitForFunction(
    (skeleton) => document.querySelector(`main ${skeleton}, [role=dialog] ${skeleton}`) === null,
    SKELETON,
  );

/** Lets the page load everything again, which fails. @param {Page} page @param {DashboardPage} dashboardPage */
async function makeStale(page, dashboardPage) {
  await page.route(DATA, (route) => route.fulfill(UNAVAILABLE));
  // A page arrives with its content, and follows whether it is shown once its scripts run.
  await page.waitForFunction(() => document.querySelector('[inert]') === null);
  // A tab that is shown again loads what it shows.
  for (const isHidden of [true, false])
    await page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  const part = partOf(page, dashboardPage);
  await part.getByText('What you see may be old.').filter({ visible: true }).first().waitFor();
  await part.locator(dashboardPage.shows).filter({ visible: true }).first().waitFor();
}
