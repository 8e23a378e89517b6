import { until } from '../first-trade/scenario.mjs';
import { createGraphqlClient } from '../graphql/client.mjs';
import { openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** Two GraphQL APIs beside the REST API, over one worker. */

/** @type {import('./product.mjs').Product} */
let product;
let trader;
/** A client of each GraphQL API. */
let first;
let second;
beforeAll(async () => {
  product = await startProduct({ graphqlApis: 2 });
  trader = await openTrader(product, 'graphql: trader');
  const { privateKey } = trader;
  [first, second] = ['graphql-api', 'graphql-api-2'].map((name) =>
    createGraphqlClient({ graphqlUrl: product.urlOf(name), privateKey }),
  );
}, 120_000);
afterAll(() => product?.stop());

/** The events of a subscription from now on, and the way to end it. */
function follow(client, asked, options) {
  const socket = client.connect({ retryAttempts: 0, ...options });
  const events = [];
  const failures = [];
  socket.subscribe(asked, {
    next: ({ data, errors }) => (errors === undefined ? events.push(data) : failures.push(...errors)),
    error: (failure) => failures.push(failure),
    complete: () => {},
  });
  const end = () => socket.dispose();
  return { events, failures, end };
}

const followBook = (client, options) =>
  follow(
    client,
    {
      query: `subscription Book($pair: ID!) {
        orderbookUpdate(tradePairId: $pair, depth: 5) { kind sequence previousSequence bids asks }
      }`,
      variables: { pair: trader.pair.id },
    },
    options,
  );

const createTrade = (input) => ({
  query:
    'mutation Create($input: TradeCreateInput!) { createTrade(input: $input) { id status tradePair { symbol } } }',
  variables: {
    input: {
      exchangeAccountId: trader.account.id,
      tradePairId: trader.pair.id,
      type: 'MARKET',
      side: 'BUY',
      amount: '0.01',
      ...input,
    },
  },
});

/** The books that messages tell, by their sequence: a SNAPSHOT begins one, a DELTA continues the one before it. */
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

describe('the GraphQL API, across real processes', () => {
  it('says without credentials that it is there, and nothing else', async () => {
    const ask = async (query) => {
      const answer = await fetch(`${product.urlOf('graphql-api')}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return { status: answer.status, body: await answer.json() };
    };
    expect(await ask('{ health { status } }')).toEqual({
      status: 200,
      body: { data: { health: { status: 'ok' } } },
    });
    const refused = await ask('{ me { id } }');
    expect(refused.status).toBe(401);
    expect(refused.body.errors).toMatchObject([{ extensions: { code: 'authentication_required' } }]);
  });

  it('is told of in the health of the services', async () => {
    const { services } = await until(
      () => trader.api.get('/v1/health/detailed'),
      ({ services: seen }) => seen['graphql-api'] !== undefined,
    );
    expect(services['graphql-api']).toMatchObject({ status: 'ok' });
  });

  it('shows the same account and the same trade as REST does, and places it once for an Idempotency-Key', async () => {
    const { data: asked } = await first.ask('{ me { id } exchangeAccounts { nodes { id balance } } }');
    expect(asked.me.id).toBe((await trader.api.get('/v1/me')).id);
    expect(asked.exchangeAccounts.nodes).toMatchObject([{ id: trader.account.id }]);

    const key = { 'idempotency-key': 'one purchase' };
    const { data: created, errors } = await first.ask(createTrade(), key);
    expect(errors).toBeUndefined();
    const { id } = created.createTrade;
    expect(created.createTrade).toEqual({ id, status: 'PENDING', tradePair: { symbol: 'BTC/USDT' } });
    const again = await second.ask(createTrade(), key);
    expect(again.data.createTrade.id).toBe(id);
    expect(again.headers.get('idempotency-replayed')).toBe('true');

    const filled = await until(
      () => trader.api.get(`/v1/trades/${id}`),
      ({ status }) => status === 'FILLED',
    );
    const query = 'query Trade($id: ID!) { trade(id: $id) { status filledAmount fills { id } } }';
    const { data } = await second.ask({ query, variables: { id } });
    expect(data.trade).toEqual({
      status: 'FILLED',
      filledAmount: '0.01',
      fills: filled.fills.map((fill) => ({ id: fill.id })),
    });
  });

  it('pushes the signals of a strategy at whichever process one listens, and again after a place in them', async () => {
    const { data } = await first.ask({
      query: 'mutation Make($input: StrategyCreateInput!) { createStrategy(input: $input) { id } }',
      variables: { input: { name: 'signals', exchangeAccountId: trader.account.id } },
    });
    const strategyId = data.createStrategy.id;
    const asked = {
      query: `subscription Signals($id: ID!, $after: Long) {
        tradeSignal(strategyId: $id, afterSequence: $after) { id sequence kind side symbol }
      }`,
      variables: { id: strategyId, after: 0 },
    };
    const listeners = [follow(first, asked), follow(second, asked)];
    for (let i = 0; i < 2; i++) await first.ask(createTrade({ strategyId }));
    for (const { events, failures } of listeners) {
      await until(
        async () => events,
        ({ length }) => length >= 2 || failures.length > 0,
      );
      expect(failures).toEqual([]);
    }
    const [heard, heardElsewhere] = listeners.map(({ events }) =>
      events.map(({ tradeSignal }) => tradeSignal),
    );
    expect(heardElsewhere).toEqual(heard);
    expect(heard.map(({ sequence }) => sequence)).toEqual(heard.map((_signal, i) => i + 1));
    expect(heard[0]).toMatchObject({ side: 'BUY', symbol: 'BTC/USDT' });

    const resumed = follow(second, { ...asked, variables: { id: strategyId, after: 1 } });
    await until(
      async () => resumed.events,
      ({ length }) => length >= 1,
    );
    expect(resumed.events[0].tradeSignal).toEqual(heard[1]);
    await Promise.all([...listeners, resumed].map(({ end }) => end()));
  });

  it('shows one order book with one numbering at two processes that one worker feeds', async () => {
    const listeners = [followBook(first), followBook(second)];
    /** Numbers that both have told of, after their first messages. */
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
    const [books, booksElsewhere] = listeners.map(({ events }) => booksOf(events));
    for (const sequence of shared()) expect(booksElsewhere.get(sequence)).toEqual(books.get(sequence));
    expect(books.get(shared()[0]).bids).toHaveLength(5);
    await Promise.all(listeners.map(({ end }) => end()));
  });

  it('says 1001 to every socket when it is asked to end, and ends without a failure', async () => {
    const closes = [];
    const { events } = followBook(second, { on: { closed: (event) => closes.push(event.code) } });
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
