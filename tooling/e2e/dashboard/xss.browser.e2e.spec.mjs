/** What users and receivers write is shown as text: on every page, in every drawer, in files, and whatever an address contains. */
import { readFileSync } from 'node:fs';
import { until } from '../../launch/first-trade/scenario.mjs';
import { openTrader } from '../accounts.mjs';
import { startProduct } from '../product.mjs';
import { openBrowser, signInByApiKey } from './browser.mjs';
import { PAYLOADS, SYMBOL, TEXTS, watchForAttacks } from './payloads.mjs';
import { startHostileReceiver, untilDead, writeFields } from './write-fields.mjs';

/** @type {import('../product.mjs').Product} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof startHostileReceiver>>} */
let receiver;
/** @type {Awaited<ReturnType<typeof openTrader>>} */
let trader;
/** @type {import('./browser.mjs').Person} */
let person;
/** @type {Awaited<ReturnType<typeof watchForAttacks>>} */
let watch;
/** The ids of the hostile records, for the addresses of pages. @type {Record<string, string>} */
const ids = {};
let userCode = '';
beforeAll(async () => {
  product = await startProduct({
    graphqlApis: 1,
    hasDashboard: true,
    extraEnv: { 'webhook-dispatcher': { RETRY_DELAYS_MS: '20,20,20,20' } },
  });
  browser = await openBrowser(product.urlOf('dashboard'));
  receiver = await startHostileReceiver();
  trader = await openTrader(product, 'hostile');
  const leader = await openTrader(product, 'hostile leader');
  const [strategy] = await Promise.all(
    TEXTS.map((name) =>
      leader.api.strategies.create({
        name,
        description: TEXTS.join(' '),
        exchange_account_id: leader.account.id,
        visibility: 'PUBLIC',
      }),
    ),
  );
  const { id: strategyId } = strategy;
  const written = await writeFields(product, trader, { receiverUrl: receiver.url, strategyId });
  await trader.api.trades.create({
    exchange_account_id: trader.account.id,
    trade_pair_id: trader.pair.id,
    type: 'MARKET',
    side: 'BUY',
    amount: '0.01',
  });
  const { data: createdKeys } = await trader.api.events.list({ type: 'key.created', limit: 100 });
  const hostile = createdKeys.filter(({ data }) => JSON.stringify(data).includes('data-xss'));
  const letter = await untilDead(
    trader.api,
    written.webhook.id,
    hostile.map(({ event_id }) => event_id),
  );
  Object.assign(ids, {
    account: trader.account.id,
    copier: written.copier.id,
    event: hostile[0]?.event_id,
    eventOfLetter: letter.event_id,
    letter: letter.id,
    pair: trader.pair.id,
    strategy: strategyId,
    webhook: written.webhook.id,
  });
  userCode = written.userCode;

  person = await browser.newPerson({ userAgent: `Firefox/1 ${PAYLOADS.image}`, acceptDownloads: true });
  watch = await watchForAttacks(person, product.urlOf('dashboard'));
  const { key } = await trader.api.apiKeys.create({ name: 'reader', permissions: ['ADMIN'] });
  await signInByApiKey(person.page, key);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  receiver?.stop();
  await product?.stop();
}, 60_000);

const fill = (path) => path.replace(/:(\w+)/g, (_, name) => ids[name]);
/** Opens a page and waits until it shows its data. */
async function open(path) {
  const { page } = person;
  await page.goto(fill(path));
  await page.locator('h1').first().waitFor({ state: 'attached' });
  // The skeletons of what is being loaded.
  await page.waitForFunction(() => document.querySelector('.animate-pulse') === null);
}
/** Returns the texts that the page does not show, neither as they were written nor as JSON. */
async function missing(texts) {
  const { page } = person;
  const fields = await page
    .locator('input, textarea, select')
    .evaluateAll((all) => all.map((field) => field.value));
  const shown = [...(await page.locator('body').allInnerTexts()), ...fields].join('\n');
  return texts.filter((text) => !shown.includes(text) && !shown.includes(JSON.stringify(text).slice(1, -1)));
}
async function expectTexts(texts) {
  expect(
    await until(
      () => missing(texts),
      ({ length }) => length === 0,
    ),
  ).toEqual([]);
}

const expectNoAttack = async () => expect(await watch.take()).toEqual([]);

describe('the watch of this test', () => {
  it('reports elements, code, addresses and violations of the policy', async () => {
    /** @type {string[]} */
    const seen = [];
    await open('/status');
    await person.page.evaluate((markup) => {
      const element = document.createElement('div');
      element.innerHTML = `${markup}<a href="javascript:ran=1">a</a>`;
      document.body.append(element);
      Object.assign(globalThis, { ran: 1 });
    }, PAYLOADS.image);
    const parts = ['element: ', 'code ran', 'address: javascript:', 'Content Security Policy'];
    const unseen = async () => {
      seen.push(...(await watch.take()));
      return parts.filter((part) => !seen.some((text) => text.includes(part)));
    };
    expect(await until(unseen, ({ length }) => length === 0)).toEqual([]);
  });
});

describe('what users and receivers wrote', () => {
  afterEach(expectNoAttack);

  it.each([
    ['/strategies', TEXTS],
    ['/discover', TEXTS],
    ['/strategies/:strategy', [TEXTS[0], TEXTS.join(' ')]],
    ['/copiers', TEXTS],
    ['/copiers/:copier', [TEXTS[0]]],
    ['/copiers/new?strategy=:strategy', [TEXTS[0]]],
    ['/copiers/new', TEXTS],
    ['/exchanges', [PAYLOADS.image]],
    ['/exchanges/:account', [PAYLOADS.image]],
    ['/withdrawals/addresses', TEXTS],
    ['/withdrawals/new', []],
    ['/developers/api-keys', TEXTS],
    ['/developers/identities', TEXTS],
    ['/developers/webhooks', [SYMBOL]],
    ['/developers/webhooks/:webhook', [TEXTS.join(' '), SYMBOL]],
    ['/developers/webhooks/:webhook/events/:eventOfLetter', TEXTS],
    ['/developers/dead-letters?webhook=:webhook', []],
    ['/developers/dead-letters/:webhook/:letter', ['data-xss']],
    ['/developers/events', []],
    ['/developers/events/:event', ['data-xss']],
    ['/developers/request-log', []],
    ['/developers/graphql', []],
    ['/notifications', TEXTS],
    ['/settings/values', ['data-xss']],
    ['/settings/sessions', TEXTS],
    ['/trades', [PAYLOADS.image]],
    ['/trades/new?pair=:pair', [PAYLOADS.image]],
    ['/positions', [PAYLOADS.image]],
    ['/analytics', []],
    ['/status', []],
    ['/', []],
  ])('is text on %s', async (path, texts) => {
    await open(path);
    await expectTexts(texts);
  });

  it('is text in the review of a code, before a session gets access', async () => {
    const { page } = person;
    await page.goto('/settings/sessions');
    await page.getByLabel('Code', { exact: true }).fill(userCode);
    await page.getByRole('button', { name: 'Check code' }).click();
    await expectTexts([PAYLOADS.image]);
    await page
      .getByRole('button', { name: /approve|sign in|allow/i })
      .first()
      .waitFor();
  });

  it('is text in the response of a request that the reference sends', async () => {
    const { page } = person;
    await page.goto('/developers/reference?operation=apiKeys.list');
    await page.getByRole('button', { name: 'Send request' }).click();
    await expectTexts(['data-xss']);
  });

  it('is text in the form that edits it', async () => {
    await open('/copiers/:copier');
    await person.page.getByRole('button', { name: 'More actions' }).click();
    await person.page.getByRole('menuitem', { name: 'Edit settings' }).click();
    await expectTexts([SYMBOL]);
  });

  it('is text in the message about a record that was just written', async () => {
    const { page } = person;
    const toast = page.locator('[data-sonner-toast], [role=dialog], [role=alertdialog]');
    await open('/developers/api-keys?new=1');
    await page.getByLabel('Name').first().fill(`${PAYLOADS.image} new`);
    await page
      .getByRole('button', { name: /^create/i })
      .last()
      .click();
    await toast.first().waitFor();
    await expectTexts([`${PAYLOADS.image} new`]);
  });

  it('does not become the name of the session of a browser that calls itself so', async () => {
    const { data } = await trader.api.browserSessions.list({ limit: 100 });
    expect(
      data
        .filter(({ client_name }) => client_name.startsWith('Dashboard: '))
        .map(({ client_name }) => client_name),
    ).toEqual(['Dashboard: Firefox']);
  });
});

describe('a CSV file', () => {
  afterEach(expectNoAttack);

  it.each([
    ['/strategies', ['name']],
    ['/copiers', ['name', 'created_at']],
    ['/discover', ['name']],
    ['/developers/api-keys', ['name']],
    ['/developers/identities', ['label']],
  ])('of %s has no formula, and the columns %j, also if the page hides one', async (path, columns) => {
    const { page } = person;
    await page.goto(path);
    await expectTexts([PAYLOADS.formula]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /csv/i }).first().click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toContain(`"'${PAYLOADS.formula.replaceAll('"', '""')}"`);
    expect(text).not.toMatch(/(?:^|[,;\t\r\n])"?[=@+]/);
    expect(text.slice(0, text.indexOf('\r\n')).split(',')).toEqual(expect.arrayContaining(columns));
  });
});

/** The parameters that pages read, and those of the sign-in. */
const PARAMETERS =
  'account attempt copier exchange_account_id from interval kind new operation order pair range reason request return search sort side status step strategy strategy_id symbol tab to trade_pair_id type unread view webhook'.split(
    ' ',
  );
const PATHS =
  '/trades /positions /markets /analytics /discover /strategies /copiers /copiers/new /exchanges /rewards /withdrawals /withdrawals/addresses /notifications /developers/api-keys /developers/webhooks /developers/dead-letters /developers/events /developers/events/catalogue /developers/request-log /developers/reference /developers/graphql /trades/new /sign-in'.split(
    ' ',
  );
const BRANCHES =
  '/ /x/ /trades/ /positions/ /markets/ /strategies/ /copiers/ /exchanges/ /withdrawals/ /developers/webhooks/ /developers/events/ /developers/webhooks/x/events/ /developers/dead-letters/x/'.split(
    ' ',
  );
/** The console reports refused requests, which these addresses cause. */
const isRefusal = (problem) => /Failed to load resource: .* status of 4\d\d/.test(problem);

describe('an address', () => {
  afterEach(async () => {
    expect((await watch.take()).filter((problem) => !isRefusal(problem))).toEqual([]);
  });

  it.each(PATHS)('%s has parameters that are read as text', async (path) => {
    for (const value of [PAYLOADS.image, '__proto__']) {
      await open(`${path}?${new URLSearchParams(PARAMETERS.map((name) => [name, value]))}`);
      expect((await watch.take()).filter((problem) => !isRefusal(problem))).toEqual([]);
    }
  });

  it.each(BRANCHES)('below %s is read as text, and leads to no other path of the API', async (path) => {
    const { page } = person;
    /** @type {string[]} */
    const sent = [];
    const note = (request) => sent.push(new URL(request.url()).pathname);
    page.on('request', note);
    for (const value of [`${PAYLOADS['end of a script']}${PAYLOADS.image}`, '../../settings/hostile'])
      await open(path + encodeURIComponent(value));
    page.off('request', note);
    expect(sent).not.toContain('/api/v1/settings/hostile');
    expect((await watch.take()).filter((problem) => !isRefusal(problem))).toEqual([]);
  });

  it('leads from the sign-in to a page of the dashboard only', async () => {
    const other = await browser.newPerson();
    const { key } = await trader.api.apiKeys.create({ name: 'returns', permissions: ['READ'] });
    for (const wanted of [
      'javascript:ran=1',
      '//canary.invalid/',
      '/x/..//canary.invalid',
      '/\\canary.invalid',
    ]) {
      await other.page.goto(`/sign-in?${new URLSearchParams({ return: wanted, reason: PAYLOADS.image })}`);
      await other.page.getByRole('tab', { name: 'API key' }).click();
      await other.page.getByPlaceholder('svc_…').fill(key);
      await other.page.getByRole('button', { name: 'Sign in' }).click();
      await other.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(new URL(other.page.url()).origin).toBe(product.urlOf('dashboard'));
    }
    await other.context.close();
  });
});
