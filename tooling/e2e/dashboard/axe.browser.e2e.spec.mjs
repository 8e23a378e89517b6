/**
 * Accessibility of every page, checked with axe in a browser. Every run shows each page once, with data; themes and widths
 * alternate. The nightly run shows every page in each of its states, in both themes and widths.
 *
 * A state that a page does not show as such fails: no skeleton, no next step, no request id, no notice of old data.
 */
import { startProduct } from '../product.mjs';
import { openBrowser } from './browser.mjs';
import { LOOKS, NARROW, namesOf, overflowOf, problemsOf, show } from './page-checks.mjs';
import { openTraderWithData, recordsOf, signEveryoneIn } from './page-people.mjs';
import { isExpectedIn, openInState, personOf, STATES } from './page-states.mjs';
import { PAGES } from './pages.mjs';

const isNightly = process.env.ALL_PAGE_STATES === 'true';
const LIMIT_MS = 180_000;

/** @type {import('../product.mjs').Product} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
/** @type {import('./page-people.mjs').People} */
let people;
/** @type {Readonly<Record<string, string>>} */
let records;
/** The number of looks at a page in a state, by state. @type {Map<string, number>} */
const counts = new Map();
beforeAll(async () => {
  product = await startProduct({ graphqlApis: 1, hasDashboard: true });
  browser = await openBrowser(product.urlOf('dashboard'));
  const trader = await openTraderWithData(product);
  records = await recordsOf(trader.api);
  people = await signEveryoneIn(browser, trader);
}, LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...counts].map(([state, count]) => `${state} ${count}`).join(', ');
  console.log(`Checked ${total} page states of ${PAGES.length} pages: ${parts}.`);
}, 60_000);

/**
 * Opens a page in a state, and returns what is wrong with it in each of these looks.
 *
 * @param {import('./pages.mjs').DashboardPage} dashboardPage
 * @param {import('./page-states.mjs').PageState} state
 * @param {readonly import('./page-checks.mjs').Look[]} looks
 */
async function problemsIn(dashboardPage, state, looks) {
  const { page, problems } = people[personOf(dashboardPage, state)];
  await page.goto('about:blank');
  problems.length = 0;
  await openInState(page, dashboardPage, state, records);
  const found = await namesOf(page, dashboardPage);
  for (const look of looks) {
    await show(page, look);
    const inLook = await problemsOf(page, dashboardPage);
    found.push(...inLook.map((problem) => `${look.theme}, ${look.width} px: ${problem}`));
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  await page.setViewportSize({ width: NARROW, height: 780 });
  found.push(...(await overflowOf(page)));
  found.push(...problems.filter((problem) => !isExpectedIn(dashboardPage, state)(problem)));
  return found;
}

/** @type {readonly import('./page-states.mjs').PageState[]} */
const statesOfRun = isNightly ? STATES : ['content'];
const pages = PAGES.map((page, i) => ({
  page,
  path: page.path ?? page.route,
  states: statesOfRun.filter((state) => page.without?.[state] === undefined),
  looks: isNightly ? LOOKS : LOOKS.filter((_, k) => k === i % LOOKS.length),
}));

// Page by page, so that every session is used all the time: an idle one ends.
describe.each(pages)('$path', ({ page, states, looks }) => {
  it.each(states)(
    'shows the state “%s”, with a title, one h1, no violation and no problem',
    async (state) => {
      expect(await problemsIn(page, state, looks)).toEqual([]);
    },
    LIMIT_MS,
  );
});
