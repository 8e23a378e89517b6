/**
 * Defines, for each operation, one request that must succeed, and creates the records that the request needs. An
 * operation without a body needs no entry if it has no parameters, or the parameters of its resource's `get` (see
 * `goodRequest`).
 */
import { type TestUser, WALLET } from './test-user.js';

/** A request that must succeed. */
export interface GoodRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Creates the records of the user that the request needs, and returns the request. */
export type MakeRequest = (user: TestUser) => GoodRequest | Promise<GoodRequest>;

/** Defines a request with the id of a new record in its path. `createRecord` creates the record and returns the id. */
const byId =
  (createRecord: (user: TestUser) => Promise<string>): MakeRequest =>
  async (user) => ({
    params: { id: await createRecord(user) },
  });

const deadLetter: MakeRequest = async (user) => {
  const { webhookId, deadLetterId } = await user.deadLetters(1);
  return { params: { id: webhookId, dlq_id: deadLetterId } };
};

export const REQUESTS: Readonly<Record<string, MakeRequest>> = {
  'auth.cliIdentity': (user) => user.newIdentity(),
  'deviceAuthorizations.create': async (user) => ({ body: await user.newSession() }),
  'deviceAuthorizations.get': async (user) => ({ params: { user_code: await user.userCode() } }),
  'deviceAuthorizations.approve': async (user) => ({ body: { user_code: await user.userCode() } }),
  'deviceAuthorizations.deny': async (user) => ({ body: { user_code: await user.userCode() } }),
  'deviceAuthorizations.token': async (user) => ({ body: { device_code: await user.deviceCode() } }),
  'browserSessions.create': async (user) => ({ body: await user.newSession() }),
  'browserSessions.revoke': byId((user) => user.browserSession()),
  'me.update': (user) => ({ body: { email: `${user.id}@mail.example` } }),
  'auth.verifyEmail': async (user) => ({ query: { code: await user.emailCode() } }),
  'publicKeys.revoke': byId((user) => user.publicKey()),
  'apiKeys.create': () => ({ body: { name: 'another', permissions: ['READ'] } }),
  'apiKeys.revoke': byId((user) => user.apiKey()),
  'apiKeys.rotate': byId((user) => user.apiKey()),
  'exchanges.get': byId((user) => user.account()),
  'exchanges.create': ({ environment }) => ({ body: environment.accountBody() }),
  'exchanges.update': async (user) => ({
    params: { id: await user.account() },
    body: { account_name: 'renamed', credentials: { api_key: 'new', api_secret: 'new' } },
  }),
  'exchanges.delete': byId((user) => user.account()),
  'exchanges.test': ({ environment }) => {
    const { account_name, ...body } = environment.accountBody();
    return { body };
  },
  'exchanges.sync': byId((user) => user.account()),
  'tradePairs.list': () => ({ query: { exchange: 'paper' } }),
  'tradePairs.get': ({ environment }) => ({ params: { id: environment.pairId } }),
  'trades.get': byId((user) => user.trade()),
  'trades.create': async (user) => ({ body: user.environment.tradeBody(await user.account()) }),
  'trades.cancel': byId((user) => user.trade()),
  'lots.get': byId((user) => user.lot()),
  'lots.close': async (user) => ({ params: { id: await user.lot() }, body: { fraction: '0.5' } }),
  'positions.list': async (user) => {
    for (let count = 0; count < 2; count++) await user.position();
    return {};
  },
  'positions.setLeverage': async (user) => ({
    params: { id: await user.perpetualAccount() },
    body: { trade_pair_id: await user.perpetual(), leverage: '5', margin_mode: 'CROSS' },
  }),
  'emergencyStop.run': () => ({ body: { close_positions: false } }),
  'webhooks.create': () => ({ body: { url: 'https://receiver.example', events: ['trade.*'] } }),
  'webhooks.get': byId((user) => user.webhook()),
  'webhooks.update': async (user) => ({
    params: { id: await user.webhook() },
    body: { url: 'https://other.example', is_active: true },
  }),
  'webhooks.rotateSecret': byId((user) => user.webhook()),
  'webhooks.delete': byId((user) => user.webhook()),
  'webhooks.deliveries': byId((user) => user.webhookWithDeliveries()),
  'webhooks.test': byId((user) => user.webhook()),
  'webhooks.replay': async (user) => ({
    params: { id: await user.webhook() },
    body: { event_id: await user.event() },
  }),
  'deadLetters.list': async (user) => ({ params: { id: (await user.deadLetters(2)).webhookId } }),
  'deadLetters.stats': async (user) => ({ params: { id: (await user.deadLetters(1)).webhookId } }),
  'deadLetters.get': deadLetter,
  'deadLetters.retry': deadLetter,
  'deadLetters.retryMany': async (user) => ({
    params: { id: (await user.deadLetters(2)).webhookId },
    body: { event_type: 'key.created' },
  }),
  'deadLetters.discard': deadLetter,
  'strategies.get': byId((user) => user.strategy()),
  'strategies.create': async (user) => ({
    body: {
      name: 'momentum',
      exchange_account_id: await user.account(),
      trade_pair_ids: [user.environment.pairId],
    },
  }),
  'strategies.update': async (user) => ({
    params: { id: await user.strategy() },
    body: { name: 'renamed', trade_pair_ids: [user.environment.pairId] },
  }),
  'strategies.delete': async (user) => ({
    params: { id: await user.strategy() },
    body: { stop_copiers: true },
  }),
  'strategies.linkCopiers': async (user) => ({
    params: { id: await user.strategy() },
    body: { copier_ids: [await user.copier()] },
  }),
  'copiers.get': byId((user) => user.copier()),
  'copiers.create': async (user) => {
    const symbol = await user.commonSymbol();
    return {
      body: {
        name: 'follower',
        exchange_account_id: await user.account(),
        strategy_id: await user.strategy(),
        sizing: { mode: 'FIXED_QUOTE', value: '100' },
        quote_aliases: [['USDT', 'USDC']],
        symbol_map: { [symbol]: symbol },
        overrides: { [symbol]: { limits: { max_trade_quote: '25.5' } } },
      },
    };
  },
  'copiers.update': async (user) => ({
    params: { id: await user.copier() },
    body: { strategy_id: await user.strategy(), limits: { max_trade_quote: '50' } },
  }),
  'copiers.delete': byId((user) => user.copier()),
  'copiers.start': byId((user) => user.linkedCopier()),
  'copiers.decisions': byId((user) => user.copierWithDecisions()),
  'copiers.simulate': byId((user) => user.linkedCopier()),
  'copiers.stop': async (user) => ({
    params: { id: await user.linkedCopier() },
    body: { mode: 'CLOSE_ONLY' },
  }),
  'copiers.acceptProfitShare': async (user) => ({
    params: { id: await user.startedCopier() },
    body: { rate: '0', period: 'WEEK' },
  }),
  'rewards.claim': byId((user) => user.reward()),
  'withdrawals.get': byId((user) => user.withdrawal()),
  'withdrawals.create': async (user) => {
    await user.requireData('POST', `/v1/rewards/${await user.reward()}/claim`);
    return { body: { amount: '10', wallet_address: WALLET } };
  },
  'withdrawals.cancel': byId((user) => user.withdrawal()),
  'withdrawalAddresses.get': byId((user) => user.withdrawalAddress()),
  'withdrawalAddresses.create': async (user) => ({
    body: { address: await user.newWallet(), label: 'mine' },
  }),
  'withdrawalAddresses.delete': byId((user) => user.withdrawalAddress()),
  'notifications.read': byId((user) => user.notification()),
  'notifications.delete': byId((user) => user.notification()),
  'settings.get': async (user) => ({ params: { key: await user.setting() } }),
  'requestLog.list': async (user) => {
    await user.loggedRequests();
    return {};
  },
  'settings.put': () => ({ params: { key: 'theme' }, body: { value: { colour: 'dark' } } }),
  'settings.delete': async (user) => ({ params: { key: await user.setting() } }),
  'events.get': byId((user) => user.event()),
};
