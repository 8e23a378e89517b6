import { createRequestSigner } from '@trading-automation/signed-request';
import { createClient as openSocket } from 'graphql-ws/client';
import { WebSocket } from 'ws';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { Realtime } from '../launch/sdk.mjs';
import { openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** Calls two GraphQL APIs through the SDK. They run beside the REST API and share one worker. */

/** @type {import('./product.mjs').Product} */
let product;
let trader;
/** One client for each GraphQL API, and their Realtime clients. */
let first;
let second;
let live;
beforeAll(async () => {
  product = await startProduct({ graphqlApis: 2 });
  trader = await openTrader(product, 'graphql: trader');
  const { restUrl } = product;
  [first, second] = ['graphql-api', 'graphql-api-2'].map((name) =>
    createClient({ restUrl, graphqlUrl: product.urlOf(name), privateKey: trader.privateKey }),
  );
  live = [first, second].map((client) => new Realtime(client));
}, 120_000);
afterAll(async () => {
  await Promise.all(live?.map((each) => each.close()) ?? []);
  await product?.stop();
});

/** Collects the events of a stream until `end` is called. */
function follow(stream) {
  const events = [];
  const failures = [];
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })().catch((error) => failures.push(error));
  const end = async () => {
    stream.close();
    await reading;
  };
  return { events, failures, end };
}

const bookSubscription = `subscription Book($pair: ID!) {
  orderbookUpdate(tradePairId: $pair, depth: 5) { kind sequence previousSequence bids asks }
}`;

const createTradeMutation =
  'mutation Create($input: TradeCreateInput!) { createTrade(input: $input) { id status tradePair { symbol } } }';
const tradeOf = (more) => ({
  input: {
    exchangeAccountId: trader.account.id,
    tradePairId: trader.pair.id,
    type: 'MARKET',
    side: 'BUY',
    amount: '0.01',
    ...more,
  },
});

/**
 * Builds the order book of each sequence from messages: a SNAPSHOT starts a book, a DELTA updates the previous book.
 */
function booksOf(messages) {
  const books = new Map();
  let book;
  for (const { orderbookUpdate: message } of messages) {
    if (message.kind === 'SNAPSHOT') book = { bids: new Map(), asks: new Map() };
    else expect(books.has(message.previousSequence)).toBe(true);
    for (const side of ['bids', 'asks']) {
      for (const [price, amount] of message[side]) {
        if (Number(amount) === 0) book[side].delete(price);
        else book[side].set(price, amount);
      }
    }
    books.set(message.sequence, { bids: levelsOf(book.bids), asks: levelsOf(book.asks) });
  }
  return books;
}

const levelsOf = (side) => [...side].sort(([one], [other]) => Number(one) - Number(other));

describe('the GraphQL API with real processes', () => {
  it('rejects requests without credentials, except the health query', async () => {
    const anonymous = createClient({ restUrl: product.restUrl, graphqlUrl: product.urlOf('graphql-api') });
    expect(await anonymous.graphql('{ health { status } }')).toEqual({ health: { status: 'ok' } });
    const rejected = await outcomeOf(anonymous.graphql('{ me { id } }'));
    expect(rejected).toMatchObject({ status: 401, code: 'authentication_required' });
  });

  it('is listed in the detailed health check of REST', async () => {
    const { services } = await until(
      () => trader.api.health.detailed(),
      ({ services: reported }) => reported['graphql-api'] !== undefined,
    );
    expect(services['graphql-api']).toMatchObject({ status: 'ok' });
  });

  it('returns the same account and trade as REST, and places a trade once per Idempotency-Key', async () => {
    const queried = await first.graphql('{ me { id } exchangeAccounts { nodes { id balance } } }');
    expect(queried.me.id).toBe((await trader.api.me.get()).id);
    expect(queried.exchangeAccounts.nodes).toMatchObject([{ id: trader.account.id }]);

    const once = { idempotencyKey: 'one purchase' };
    const { createTrade } = await first.graphql(createTradeMutation, tradeOf(), once);
    const { id } = createTrade;
    expect(createTrade).toEqual({ id, status: 'PENDING', tradePair: { symbol: 'BTC/USDT' } });
    const again = await second.graphql(createTradeMutation, tradeOf(), once).withResponse();
    expect(again.data.createTrade.id).toBe(id);
    expect(again.response.headers.get('idempotency-replayed')).toBe('true');

    const filled = await until(
      () => trader.api.trades.get(id),
      ({ status }) => status === 'FILLED',
    );
    const query = 'query Trade($id: ID!) { trade(id: $id) { status filledAmount fills { id } } }';
    expect((await second.graphql(query, { id })).trade).toEqual({
      status: 'FILLED',
      filledAmount: '0.01',
      fills: filled.fills.map((fill) => ({ id: fill.id })),
    });
  });

  it('pushes the signals of a strategy from either process, and resumes after a sequence', async () => {
    const make = 'mutation Make($input: StrategyCreateInput!) { createStrategy(input: $input) { id } }';
    const input = { name: 'signals', exchangeAccountId: trader.account.id };
    const { id: strategyId } = (await first.graphql(make, { input })).createStrategy;
    const listeners = live.map((each) => follow(each.tradeSignals(strategyId, { afterSequence: 0 })));
    for (let i = 0; i < 2; i++) await first.graphql(createTradeMutation, tradeOf({ strategyId }));
    for (const { events, failures } of listeners) {
      await until(
        async () => events,
        ({ length }) => length >= 2 || failures.length > 0,
      );
      expect(failures).toEqual([]);
    }
    const [signals, signalsOfSecond] = listeners.map(({ events }) => events);
    expect(signalsOfSecond).toEqual(signals);
    expect(signals.map(({ sequence }) => sequence)).toEqual(signals.map((_signal, i) => i + 1));
    expect(signals[0]).toMatchObject({ side: 'BUY', symbol: 'BTC/USDT' });

    const resumed = follow(live[1].tradeSignals(strategyId, { afterSequence: 1 }));
    await until(
      async () => resumed.events,
      ({ length }) => length >= 1,
    );
    expect(resumed.events[0]).toEqual(signals[1]);
    await Promise.all([...listeners, resumed].map(({ end }) => end()));
  });

  it('returns the same order book with the same sequences from both processes', async () => {
    const listeners = live.map((each) => follow(each.subscribe(bookSubscription, { pair: trader.pair.id })));
    /** Sequences that both subscribers received, after their first messages. */
    const shared = () => {
      const [one, other] = listeners.map(({ events }) =>
        events.slice(1).map(({ orderbookUpdate }) => orderbookUpdate.sequence),
      );
      return one.filter((sequence) => other.includes(sequence));
    };
    await until(
      async () => shared(),
      ({ length }) => length >= 5,
    );
    expect(listeners.flatMap(({ failures }) => failures)).toEqual([]);
    const [books, booksOfSecond] = listeners.map(({ events }) => booksOf(events));
    for (const sequence of shared()) expect(booksOfSecond.get(sequence)).toEqual(books.get(sequence));
    expect(books.get(shared()[0]).bids).toHaveLength(5);
    await Promise.all(listeners.map(({ end }) => end()));
  });

  it('closes every socket with code 1001 on SIGTERM, and exits with code 0', async () => {
    // The SDK would reconnect and hide the close code.
    const [events, closes] = [[], []];
    const sign = createRequestSigner(trader.privateKey);
    const socket = openSocket({
      url: `${product.urlOf('graphql-api-2').replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: () => sign({ method: 'CONNECT', path: '/graphql' }),
      retryAttempts: 0,
      on: { closed: (event) => closes.push(event.code) },
    });
    const listener = { next: (event) => events.push(event), error: () => {}, complete: () => {} };
    socket.subscribe({ query: bookSubscription, variables: { pair: trader.pair.id } }, listener);
    await until(
      async () => events,
      ({ length }) => length > 0,
    );
    await product.kill('graphql-api-2', 'SIGTERM');
    await until(
      async () => product.lines.filter((line) => line.includes('graphql-api-2') && line.includes('ended (')),
      ({ length }) => length > 0,
    );
    const ends = product.lines.filter((line) => line.includes('graphql-api-2') && line.includes('ended ('));
    expect(ends).toEqual([expect.stringContaining('ended (code 0)')]);
    expect(closes).toEqual([1001]);
  });
});
