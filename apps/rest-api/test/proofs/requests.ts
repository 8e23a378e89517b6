/**
 * Defines a request to each operation that must succeed, on records that are created for it. An operation without a
 * body
 * needs no entry if its parameters are those of the resource's `get` (see `goodRequest`).
 */
import { type TestUser, WALLET } from './test-user.js';

export interface GoodRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Creates the records that the request needs, as their owner, and returns the request. */
export type MakeRequest = (person: TestUser) => GoodRequest | Promise<GoodRequest>;

const byId =
  (make: (person: TestUser) => Promise<string>): MakeRequest =>
  async (person) => ({
    params: { id: await make(person) },
  });

const deadLetter: MakeRequest = async (person) => {
  const { webhookId, deadLetterId } = await person.deadLetters(1);
  return { params: { id: webhookId, dlq_id: deadLetterId } };
};

export const REQUESTS: Readonly<Record<string, MakeRequest>> = {
  'auth.cliIdentity': (person) => person.newIdentity(),
  'me.update': (person) => ({ body: { email: `${person.id}@mail.example` } }),
  'auth.verifyEmail': async (person) => ({ query: { code: await person.emailCode() } }),
  'publicKeys.revoke': byId((person) => person.publicKey()),
  'apiKeys.create': () => ({ body: { name: 'another', permissions: ['READ'] } }),
  'apiKeys.revoke': byId((person) => person.apiKey()),
  'apiKeys.rotate': byId((person) => person.apiKey()),
  'exchanges.get': byId((person) => person.account()),
  'exchanges.create': ({ environment }) => ({ body: environment.accountBody() }),
  'exchanges.update': async (person) => ({
    params: { id: await person.account() },
    body: { account_name: 'renamed', credentials: { api_key: 'new', api_secret: 'new' } },
  }),
  'exchanges.delete': byId((person) => person.account()),
  'exchanges.test': ({ environment }) => {
    const { account_name, ...body } = environment.accountBody();
    return { body };
  },
  'exchanges.sync': byId((person) => person.account()),
  'tradePairs.list': () => ({ query: { exchange: 'paper' } }),
  'tradePairs.get': ({ environment }) => ({ params: { id: environment.pairId } }),
  'trades.get': byId((person) => person.trade()),
  'trades.create': async (person) => ({ body: person.environment.tradeBody(await person.account()) }),
  'trades.cancel': byId((person) => person.trade()),
  'webhooks.create': () => ({ body: { url: 'https://receiver.example', events: ['trade.*'] } }),
  'webhooks.get': byId((person) => person.webhook()),
  'webhooks.update': async (person) => ({
    params: { id: await person.webhook() },
    body: { url: 'https://other.example', is_active: true },
  }),
  'webhooks.rotateSecret': byId((person) => person.webhook()),
  'webhooks.delete': byId((person) => person.webhook()),
  'webhooks.deliveries': byId((person) => person.webhookWithDeliveries()),
  'webhooks.test': byId((person) => person.webhook()),
  'webhooks.replay': async (person) => ({
    params: { id: await person.webhook() },
    body: { event_id: await person.event() },
  }),
  'deadLetters.list': async (person) => ({ params: { id: (await person.deadLetters(2)).webhookId } }),
  'deadLetters.stats': async (person) => ({ params: { id: (await person.deadLetters(1)).webhookId } }),
  'deadLetters.get': deadLetter,
  'deadLetters.retry': deadLetter,
  'deadLetters.retryMany': async (person) => ({
    params: { id: (await person.deadLetters(2)).webhookId },
    body: { event_type: 'key.created' },
  }),
  'deadLetters.discard': deadLetter,
  'strategies.get': byId((person) => person.strategy()),
  'strategies.create': async (person) => ({
    body: {
      name: 'momentum',
      exchange_account_id: await person.account(),
      trade_pair_ids: [person.environment.pairId],
    },
  }),
  'strategies.update': async (person) => ({
    params: { id: await person.strategy() },
    body: { name: 'renamed', trade_pair_ids: [person.environment.pairId] },
  }),
  'strategies.delete': async (person) => ({
    params: { id: await person.strategy() },
    body: { stop_copiers: true },
  }),
  'strategies.linkCopiers': async (person) => ({
    params: { id: await person.strategy() },
    body: { copier_ids: [await person.copier()] },
  }),
  'copiers.get': byId((person) => person.copier()),
  'copiers.create': async (person) => ({
    body: {
      name: 'follower',
      exchange_account_id: await person.account(),
      strategy_id: await person.strategy(),
      sizing: { mode: 'FIXED_QUOTE', value: '100' },
    },
  }),
  'copiers.update': async (person) => ({
    params: { id: await person.copier() },
    body: { strategy_id: await person.strategy(), limits: { max_trade_quote: '50' } },
  }),
  'copiers.delete': byId((person) => person.copier()),
  'copiers.start': byId((person) => person.linkedCopier()),
  'copiers.decisions': byId((person) => person.copierWithDecisions()),
  'copiers.simulate': byId((person) => person.linkedCopier()),
  'copiers.stop': async (person) => ({
    params: { id: await person.linkedCopier() },
    body: { mode: 'CLOSE_ONLY' },
  }),
  'rewards.claim': byId((person) => person.reward()),
  'withdrawals.get': byId((person) => person.withdrawal()),
  'withdrawals.create': async (person) => {
    await person.requireData('POST', `/v1/rewards/${await person.reward()}/claim`);
    return { body: { amount: '10', wallet_address: WALLET } };
  },
  'withdrawals.cancel': byId((person) => person.withdrawal()),
  'notifications.read': byId((person) => person.notification()),
  'notifications.delete': byId((person) => person.notification()),
  'settings.get': async (person) => ({ params: { key: await person.setting() } }),
  'settings.put': () => ({ params: { key: 'theme' }, body: { value: { colour: 'dark' } } }),
  'settings.delete': async (person) => ({ params: { key: await person.setting() } }),
  'events.get': byId((person) => person.event()),
};
