/** Live data: what happens to the account appears in every open tab, over one connection for each session. */
import pg from 'pg';
import { until } from '../../launch/first-trade/scenario.mjs';
import { openTrader } from '../accounts.mjs';
import { startProduct } from '../product.mjs';
import { openBrowser, signInByApiKey } from './browser.mjs';

/** @type {import('../product.mjs').Product} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof openTrader>>} */
let trader;
/** @type {pg.Pool} */
let database;
let apiKey = '';
beforeAll(async () => {
  // Pages arrive with their data, also from a machine that is busy.
  const extraEnv = { dashboard: { PAGE_WAIT_MS: '10000' } };
  product = await startProduct({ graphqlApis: 1, hasDashboard: true, extraEnv });
  browser = await openBrowser(product.urlOf('dashboard'));
  database = new pg.Pool({ connectionString: product.databaseUrl, max: 1 });
  trader = await openTrader(product, 'dashboard live');
  ({ key: apiKey } = await trader.api.apiKeys.create({ name: 'live', permissions: ['ADMIN'] }));
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await database?.end();
  await product?.stop();
}, 60_000);

const countOfLeases = async () =>
  Number(
    (await database.query('SELECT count(*) FROM event_streams WHERE lease_until > now()')).rows[0].count,
  );
/** Events that have no place in the list yet, or from which a consumer may still make others. */
const countOfUnhandledEvents = async () =>
  Number(
    (
      await database.query(`SELECT count(*) FROM outbox_events
        WHERE position IS NULL OR position > (SELECT min(position) FROM outbox_progress)`)
    ).rows[0].count,
  );
/** Only the script of the card of the exchange accounts contains them. */
const WORDS_OF_LATE_PART = 'Sync is late';
/** Only the script of the order ticket contains them. */
const WORDS_OF_TICKET = 'Enter a limit price, or choose one of the book.';
const liveBadge = (page) => page.getByRole('status').getByText('Live', { exact: true });
const order = (amount) => ({
  exchange_account_id: trader.account.id,
  trade_pair_id: trader.pair.id,
  type: 'MARKET',
  side: 'BUY',
  amount,
});
/** Holds the scripts of a page that contain these words. Returns a function that lets them go. */
async function holdCode(page, words) {
  /** @type {() => void} */
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes(words)) await held;
    await route.fulfill({ response });
  });
  return release;
}
/** The limit of bench/dashboard.mjs. */
const SHIFT_MAX = 0.02;
/** Runs in the page before its own scripts: adds up the layout shifts that no input has caused. */
function collectShifts() {
  const page = Object(window);
  page.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries().map(Object)) if (!entry.hadRecentInput) page.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}
/** Hides or shows a tab, as the browser does when the user changes to another one. */
const setHidden = (page, isHidden) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);

/** Waits until the page has drawn what it has received. */
const untilDrawn = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );

describe('the tabs of a session', () => {
  it('share one event stream, show new orders at once, and load what a hidden one has missed', async () => {
    const { page, context, problems } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    await page.goto('/trades');
    const second = await context.newPage();
    await second.goto('/trades');
    for (const tab of [page, second]) await liveBadge(tab).waitFor();
    expect(await countOfLeases()).toBe(1);

    await trader.api.trades.create(order('0.0111'));
    for (const tab of [page, second]) await tab.getByText('0.0111').waitFor();

    await setHidden(second, true);
    await second.getByRole('status').getByText('Paused').waitFor();
    await trader.api.trades.create(order('0.0122'));
    await page.getByText('0.0122').waitFor();
    expect(await second.getByText('0.0122').count()).toBe(0);
    await setHidden(second, false);
    await second.getByText('0.0122').waitFor();

    await context.close();
    await until(countOfLeases, (count) => count === 0);
    expect(problems).toEqual([]);
  });

  it('show whether they are live, and since when they are not', async () => {
    const { page, context } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    await liveBadge(page).waitFor();
    await context.setOffline(true);
    await setHidden(page, true);
    await setHidden(page, false);
    await page.getByRole('status').getByText('Reconnecting').waitFor();
    await page
      .getByRole('status')
      .getByText(/^Stale since/)
      .waitFor({ timeout: 30_000 });
    await context.setOffline(false);
    await liveBadge(page).waitFor({ timeout: 30_000 });
    await context.close();
  });
});

describe('a page that is opened', () => {
  it('arrives with its data, in the locale and the time zone of the reader, and for no one else', async () => {
    const placed = await trader.api.trades.create(order('0.0133'));
    const reader = { locale: 'de-DE', timezoneId: 'Asia/Kolkata' };
    const { page, context, problems } = await browser.newPerson(reader);
    await signInByApiKey(page, apiKey);
    const response = await context.request.get('/trades');
    const document = await response.text();
    expect(response.headers()['cache-control']).toMatch(/no-store/);
    expect([document.includes('>0,0133'), document.includes(placed.id)]).toEqual([true, true]);
    const overview = await (await context.request.get('/')).text();
    // The browser shows the page once it is complete: nothing of it comes behind the place that it waits for.
    expect(overview).toMatch(/<link rel="expect" href="#end-of-page" blocking="render"\/>/);
    expect(overview.slice(overview.indexOf('id="end-of-page"'))).toMatch(/^id="end-of-page"><\/span><script/);
    expect([overview.includes('Place a test trade'), overview.includes('<!--$?-->')]).toEqual([true, false]);
    await page.goto('/settings/values');
    const opened = await page.goto(`/trades/${placed.id}`);
    // The head came before the data, with the files that the browser loads meanwhile, and with all that protects the page.
    expect(opened?.headers()).toMatchObject({
      link: expect.stringMatching(/\.css>; rel=preload; as=style.*\.woff2>; rel=preload; as=font/),
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'content-encoding': 'gzip',
      'cache-control': 'private, no-store',
    });
    const placedAt = new Intl.DateTimeFormat('de-DE', {
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'Asia/Kolkata',
    });
    await page
      .getByRole('dialog')
      .getByText(placedAt.format(new Date(placed.created_at)))
      .first()
      .waitFor();
    expect(problems).toEqual([]);
    const cookies = await context.cookies();
    await context.close();

    const stranger = await browser.newPerson(reader);
    await stranger.context.addCookies(cookies.filter(({ name }) => name === 'reading'));
    const other = await stranger.context.request.get('/trades', { maxRedirects: 0 });
    expect([other.status(), await other.text()]).toEqual([307, expect.not.stringContaining(placed.id)]);
    await stranger.context.close();
  });

  it('arrives with the filter that its address names', async () => {
    const { page, context } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    const { id, account_name } = trader.account;
    const textOf = async (path) => await (await context.request.get(path)).text();
    const name = `Account: ${account_name}`;
    expect(await textOf(`/trades?exchange_account_id=${id}`)).toContain(name);
    expect(await textOf('/trades')).not.toContain(name);
    await context.close();
  });

  it.each(['/trades', '/developers/events'])(
    'keeps its lines in their places on a small screen: %s',
    async (path) => {
      const { page, context } = await browser.newPerson({ viewport: { width: 360, height: 780 } });
      await signInByApiKey(page, apiKey);
      const placed = [];
      for (let i = 0; i < 6; i++) placed.push(await trader.api.trades.create(order('0.001')));
      // An event that is listed after the page is loaded moves the lines below it.
      for (const { id } of placed)
        await until(
          () => trader.api.trades.get(id),
          ({ status }) => status === 'FILLED',
        );
      await until(countOfUnhandledEvents, (count) => count === 0);
      await page.addInitScript(collectShifts);
      await page.goto(path);
      await page.getByRole('row').nth(6).waitFor();
      await liveBadge(page).waitFor();
      // A shift is reported with the frame that follows it.
      await untilDrawn(page);
      expect(await page.evaluate(() => Object(window).shifted)).toBeLessThanOrEqual(SHIFT_MAX);
      await context.close();
    },
    30_000,
  );

  it('shows an event that happened after its data were loaded and before it was connected', async () => {
    const { page, context } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    await liveBadge(page).waitFor();
    const second = await context.newPage();
    /** @type {() => void} */
    let connect = () => {};
    await second.route(/\/api\/live/, async (route) => {
      await new Promise((resolve) => {
        connect = () => resolve(undefined);
      });
      await route.continue();
    });
    await second.goto('/trades');
    await second.getByText('0.0133').waitFor();
    await trader.api.trades.create(order('0.0144'));
    await page.goto('/trades');
    await page.getByText('0.0144').waitFor();
    expect(await second.getByText('0.0144').count()).toBe(0);
    connect();
    await second.getByText('0.0144').waitFor();
    await context.close();
  });

  it('shows in a part whose code comes late what has changed meanwhile', async () => {
    const { page, context, problems } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    const second = await context.newPage();
    const release = await holdCode(second, WORDS_OF_LATE_PART);
    await second.goto('/');
    await liveBadge(second).waitFor();
    const card = second.locator('section', { hasText: 'Exchange accounts' });
    const arrived = card.getByText('dashboard live');
    expect(await arrived.count()).toBe(1);
    const reloaded = second.waitForResponse((response) => response.url().includes('/api/v1/exchanges?'));
    await trader.api.exchanges.update(trader.account.id, { account_name: 'Renamed meanwhile' });
    // A new name is no event. The order is one, after which the accounts are loaded again.
    await trader.api.trades.create(order('0.0155'));
    await reloaded;
    // What the server sent stays until the code of the part is there.
    expect([await arrived.count(), await card.getByText('Renamed meanwhile').count()]).toEqual([1, 0]);
    release();
    await card.getByText('Renamed meanwhile').waitFor();
    expect(await arrived.count()).toBe(0);
    expect(problems).toEqual([]);
    // Parts that the page loads ahead may be on their way.
    await second.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });

  it('keeps what is typed into a part whose code comes late', async () => {
    const { page, context, problems } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    const release = await holdCode(page, WORDS_OF_TICKET);
    await page.goto(`/trades/new?pair=${trader.pair.id}`);
    await liveBadge(page).waitFor();
    const ticket = page.getByRole('form', { name: `Order on ${trader.pair.symbol}` });
    await ticket.getByLabel('Limit price').fill('100');
    await ticket.getByLabel('Amount', { exact: true }).fill('0.5');
    const value = ticket
      .getByRole('term')
      .filter({ hasText: 'Order value' })
      .locator('xpath=following-sibling::dd');
    expect(await value.textContent()).toBe('–');
    // After an interruption everything is loaded again, and the pair has another last price.
    await page.route('**/api/v1/trade-pairs/*', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.last_price = '99.5';
      await route.fulfill({ response, json });
    });
    const reloaded = page.waitForResponse((response) =>
      response.url().endsWith(`/api/v1/trade-pairs/${trader.pair.id}`),
    );
    await setHidden(page, true);
    await setHidden(page, false);
    await reloaded;
    await liveBadge(page).waitFor();
    await untilDrawn(page);
    release();
    await value.getByText('50.00').waitFor();
    expect(await ticket.getByLabel('Limit price').inputValue()).toBe('100');
    expect(problems).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });

  it('does not ask what the account has, once the browser has seen that its first steps are done', async () => {
    const { page, context } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    const steps = page.getByText('Get started');
    const cookieOfSteps = async () =>
      (await context.cookies()).find(({ name }) => name === 'first-steps')?.value;
    const isAsked = async () => (await (await context.request.get('/')).text()).includes('["copiers","any"]');
    await steps.waitFor();
    expect([await cookieOfSteps(), await isAsked()]).toEqual([undefined, true]);

    const leader = await openTrader(product, 'dashboard leader');
    const { id: strategy_id } = await leader.api.strategies.create({
      name: 'followed',
      exchange_account_id: leader.account.id,
      visibility: 'PUBLIC',
    });
    const { api, account } = trader;
    await api.strategies.create({ name: 'own', exchange_account_id: account.id });
    await api.webhooks.create({ url: 'https://receiver.example/', events: ['trade.filled'] });
    await api.copiers.create({
      name: 'copier',
      strategy_id,
      exchange_account_id: account.id,
      sizing: { mode: 'FIXED_QUOTE', value: 100 },
    });
    await page.reload();
    const { id: userId } = await api.me.get();
    await until(cookieOfSteps, (value) => value === userId);
    expect([await steps.count(), await isAsked()]).toEqual([0, false]);

    // Another account that signs in with this browser has its own first steps.
    await context.addCookies([
      { name: 'first-steps', value: 'usr_another', url: product.urlOf('dashboard') },
    ]);
    expect(await isAsked()).toBe(true);
    await context.close();
  });
});
