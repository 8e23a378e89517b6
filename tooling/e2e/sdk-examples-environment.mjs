import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startReceiver } from '../launch/first-trade/receiver.mjs';
import { openPaperAccount, until } from '../launch/first-trade/scenario.mjs';
import { keyOf } from './accounts.mjs';
import {
  approveSignInByCode,
  linkPublicKey,
  openBrowserSession,
  startSignInByCode,
} from './sdk-examples-credentials.mjs';
import { openSharedProduct } from './shared-product.mjs';

/**
 * The test environment of the SDK's examples: the whole product, with two users that have records of every kind.
 *
 * 1. Records that examples only read are created once. A record that an example may change or delete is created for
 *    each example that uses it.
 * 2. Everything is created through the SDK, except accounts at the paper exchange and the code of a mail, which the SDK
 *    does not return.
 */

/**
 * @typedef {typeof import('@trading-automation/sdk') & typeof import('@trading-automation/sdk/signer') & typeof import('@trading-automation/sdk/testing') & typeof import('@trading-automation/sdk/realtime')} Sdk
 * @typedef {import('@trading-automation/sdk').Client} Client
 */

/** @param {Sdk} sdk the exports of all entry points */
export async function startExampleEnvironment(sdk) {
  /** @type {(() => unknown)[]} */
  const cleanup = [];
  const stop = async () => {
    for (const step of cleanup.reverse()) await step();
  };
  try {
    const product = await openSharedProduct();
    const receiver = await startReceiver();
    cleanup.push(() => receiver.stop());
    const failing = await startReceiver({ statusFor: () => 500 });
    cleanup.push(() => failing.stop());
    const environment = new ExampleEnvironment(sdk, product, receiver.url);
    await environment.createRecords(failing.url);
    return { environment, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Holds records of every kind, and creates further records for single examples. */
export class ExampleEnvironment {
  /** The requests of the examples' client since `prepare`, as method and path. @type {string[]} */
  #requests = [];

  /**
   * @param {Sdk} sdk
   * @param {import('./shared-product.mjs').SharedProduct} product
   * @param {string} receiverUrl
   */
  constructor(sdk, product, receiverUrl) {
    this.sdk = sdk;
    this.product = product;
    this.receiverUrl = receiverUrl;
    this.secret = sdk.TEST_WEBHOOK_SECRET;
  }

  /** @param {string} failingUrl the URL of a receiver that rejects every request */
  async createRecords(failingUrl) {
    this.privateKey = keyOf('sdk examples');
    this.client = await this.#openAccount('sdk examples');
    this.accountId = await this.#connect('main');
    this.otherAccountId = await this.#connect('copies');
    const pairs = await until(
      () => this.client.tradePairs.list({ exchange: 'paper', trading_type: 'spot', symbol: 'BTC/USDT' }),
      ({ data }) => data.length > 0,
    );
    this.pairId = pairs.data[0].id;
    this.strategyId = await this.#strategy('followed');
    const failing = await this.client.webhooks.create({ url: failingUrl, events: ['*'] });
    this.failingWebhookId = failing.id;
    // Two trades emit enough events for several dead letters.
    this.tradeId = await this.filledTrade();
    await this.filledTrade();
    for (const { id } of await this.#claimable(this.client)) await this.client.rewards.claim(id);
    await this.client.webhooks.update(failing.id, { is_active: false });
    await until(
      () => this.client.webhooks.deadLetters.stats(failing.id),
      ({ pending }) => pending >= 4,
    );
    await this.client.webhooks.update(failing.id, { is_active: true, url: this.receiverUrl });
    const [event] = await this.client.events.list({ type: 'trade.filled' }).toArray({ limit: 1 });
    this.eventId = event?.event_id;
    await until(
      () => this.client.notifications.count(),
      ({ unread }) => unread > 0,
    );
    // The newcomer has a reward that is not claimed yet.
    this.newcomer = await this.#openAccount('sdk examples, newcomer');
    await this.#connect('first', this.newcomer);
    await this.#claimable(this.newcomer);
    const { key } = await this.client.apiKeys.create({ name: 'examples', permissions: ['ADMIN'] });
    this.apiKey = key;
  }

  /** Returns the value of a provided name for an example. @param {string} name @param {string} example the name of the example's member */
  async valueOf(name, example) {
    const create = /** @type {Record<string, ((example: string) => unknown) | undefined>} */ (this.#creators)[
      name
    ];
    return create === undefined ? /** @type {any} */ (this)[name] : create(example);
  }

  /** @type {Record<string, (example: string) => unknown>} */
  #creators = {
    client: (example) => (example === 'rewards.claim' ? this.newcomer : this.client),
    baseURL: () => this.product.restUrl,
    credentials: () => openPaperAccount(this.product.paperExchangeUrl),
    signer: () => this.sdk.createSigner(this.sdk.generatePrivateKey()),
    live: () => new this.sdk.Realtime(this.client),
    request: () => this.#webhookRequest(),
    unusedAccountId: () => this.#connect('unused'),
    restingTradeId: () => this.#restingTrade(),
    strategyId: (example) => (example === 'strategies.delete' ? this.#strategy('of a day') : this.strategyId),
    copierId: (example) =>
      example === 'copiers.acceptProfitShare'
        ? this.#copierWithOffer()
        : this.#copier(example === 'copiers.stop'),
    lotId: () => this.#openLot(),
    openLotId: () => this.#openLot(),
    webhookId: (example) => (example.startsWith('deadLetters') ? this.failingWebhookId : this.#webhook()),
    deadLetterId: () => this.#deadLetter(),
    withdrawalAddressId: () => this.#withdrawalAddress(),
    withdrawalId: () => this.#withdrawal(),
    publicKeyId: () => linkPublicKey(this),
    browserSessionId: () => openBrowserSession(this),
    userCode: async () => (await startSignInByCode(this)).user_code,
    deviceCode: () => approveSignInByCode(this),
    code: () => this.#mailedCode(),
  };

  /**
   * Creates further settings that an example needs, and clears `requests`.
   * @param {string} text the code of the example
   */
  async prepare(text) {
    if (text.includes('dashboard.theme')) await this.client.settings.set('dashboard.theme', 'light');
    this.#requests = [];
  }

  /** The method and path of each request of the examples' client since `prepare`. */
  get requests() {
    return this.#requests;
  }

  async filledTrade() {
    const { id } = await this.client.trades.create({
      exchange_account_id: this.accountId,
      trade_pair_id: this.pairId,
      strategy_id: this.strategyId,
      type: 'MARKET',
      side: 'BUY',
      amount: '0.001',
    });
    await this.client.trades.waitUntil(id, { status: 'FILLED', timeout: 30_000, pollInterval: 50 });
    return id;
  }

  /** @param {string} label @returns {Promise<any>} a signing client whose requests are recorded */
  async #openAccount(label) {
    const signer = this.sdk.createSigner(keyOf(label));
    const client = new this.sdk.Client({
      baseURL: this.product.restUrl,
      graphqlURL: this.product.graphqlUrl,
      signer,
      fetch: (/** @type {string} */ url, /** @type {RequestInit} */ init) => {
        this.#requests.push(`${init.method} ${new URL(url).pathname}`);
        return fetch(url, init);
      },
    });
    const anonymous = new this.sdk.Client({ baseURL: this.product.restUrl });
    const { challenge } = await anonymous.auth.cliChallenge();
    await anonymous.auth.cliIdentity({ ...(await this.sdk.signChallenge(challenge, signer)), label });
    return client;
  }

  /** @param {any} client */
  #claimable(client) {
    return until(
      () => client.rewards.list({ status: 'CLAIMABLE' }).toArray({ limit: 10 }),
      ({ length }) => length > 0,
    );
  }

  /** @param {string} name @param {any} [client] */
  async #connect(name, client = this.client) {
    const { id } = await client.exchanges.create({
      exchange: 'paper',
      account_name: name,
      trading_type: 'spot',
      credentials: await openPaperAccount(this.product.paperExchangeUrl),
    });
    await until(
      () => client.exchanges.get(id),
      ({ last_sync_at }) => last_sync_at !== null,
    );
    return id;
  }

  async #restingTrade() {
    const { id } = await this.client.trades.create({
      exchange_account_id: this.accountId,
      trade_pair_id: this.pairId,
      type: 'LIMIT',
      side: 'BUY',
      price: '10000',
      amount: '0.001',
    });
    await until(
      () => this.client.trades.get(id),
      ({ exchange_order_id }) => exchange_order_id !== undefined,
    );
    return id;
  }

  /** @param {string} name */
  async #strategy(name) {
    const { id } = await this.client.strategies.create({ name, exchange_account_id: this.accountId });
    return id;
  }

  /** @param {boolean} isStarted */
  async #copier(isStarted) {
    const { id } = await this.client.copiers.create({
      name: 'half size',
      strategy_id: this.strategyId,
      exchange_account_id: this.otherAccountId,
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
    });
    if (isStarted) await this.client.copiers.start(id);
    return id;
  }

  /** Returns a copier whose strategy offers another profit share than the copier has accepted. */
  async #copierWithOffer() {
    const id = await this.#copier(true);
    await this.client.strategies.update(this.strategyId, { profit_share: { rate: '0.1', period: 'MONTH' } });
    return id;
  }

  async #openLot() {
    const [lot] = await this.client.lots.list({ status: 'OPEN' }).toArray({ limit: 1 });
    return lot.id;
  }

  async #webhook() {
    const { id } = await this.client.webhooks.create({ url: this.receiverUrl, events: ['trade.*'] });
    return id;
  }

  async #deadLetter() {
    const [letter] = await this.client.webhooks.deadLetters
      .list(this.failingWebhookId, { status: 'PENDING' })
      .toArray({ limit: 1 });
    return letter.id;
  }

  async #withdrawal() {
    const { id } = await this.client.withdrawals.create({
      amount: '5',
      wallet_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    });
    return id;
  }

  async #withdrawalAddress() {
    const { id } = await this.client.withdrawalAddresses.create({
      address: `0x${randomBytes(20).toString('hex')}`,
    });
    return id;
  }

  /** Returns the code of the link in the mail. No mail server runs here, so the mail is still queued. */
  async #mailedCode() {
    await this.client.me.update({ email: 'trader@example.com' });
    const database = new pg.Client({ connectionString: this.product.databaseUrl });
    await database.connect();
    const { rows } = await database
      .query('SELECT body FROM mails ORDER BY id DESC LIMIT 1')
      .finally(() => database.end());
    const [link = ''] = /https?:\S+/.exec(rows[0].body) ?? [];
    return new URL(link).searchParams.get('code');
  }

  #webhookRequest() {
    const { payload, headers } = this.sdk.signedWebhook(this.sdk.webhookEvent('trade.filled'), {
      secret: this.secret,
    });
    return new Request(this.receiverUrl, { method: 'POST', body: payload, headers });
  }
}
