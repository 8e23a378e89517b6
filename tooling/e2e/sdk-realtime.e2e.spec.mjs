import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createRequestSigner } from '@trading-automation/signed-request';
import { createClient as openSocket } from 'graphql-ws/client';
import { WebSocket } from 'ws';
import { createClient, openAccount } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { AuthenticationError, NotFoundError, Realtime } from '../launch/sdk.mjs';
import { keyOf, openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** Tests Realtime and GraphQL of the packed SDK with a real GraphQL API, which some tests kill. */

/** @type {import('./product.mjs').Product} */
let product;
let trader;
let client;
const opened = [];
beforeAll(async () => {
  product = await startProduct({ graphqlApis: 1 });
  trader = await openTrader(product, 'sdk realtime: trader');
  client = clientOf(trader.privateKey);
}, 120_000);
afterEach(async () => {
  await Promise.all(opened.splice(0).map((live) => live.close()));
});
afterAll(() => product?.stop());

const clientOf = (privateKey) =>
  createClient({ restUrl: product.restUrl, graphqlUrl: product.urlOf('graphql-api'), privateKey });

/** Opens a Realtime client that tries to reconnect every 200 ms. */
function live(ofClient = client) {
  const realtime = new Realtime(ofClient, { reconnectDelay: () => 200 });
  opened.push(realtime);
  return realtime;
}

async function take(stream, count) {
  const items = [];
  while (items.length < count) {
    const { done, value } = await stream.next();
    if (done) throw new Error(`the stream ended after ${items.length} of ${count} items`);
    items.push(value);
  }
  return items;
}

const failureOf = async (stream) => {
  try {
    for await (const _ of stream);
  } catch (error) {
    return error;
  }
  throw new Error('the stream ended without an error');
};

const buy = (more) =>
  trader.api.trades.create({
    exchange_account_id: trader.account.id,
    trade_pair_id: trader.pair.id,
    type: 'MARKET',
    side: 'BUY',
    amount: '0.01',
    ...more,
  });

const strategy = (name) => trader.api.strategies.create({ name, exchange_account_id: trader.account.id });

describe('signals', () => {
  it('all arrive once and in order while the GraphQL API is repeatedly killed', async () => {
    const { id } = await strategy('signals over kills');
    const stream = live().tradeSignals(id, { afterSequence: 0 });
    const received = [];
    const reading = (async () => {
      for await (const signal of stream) received.push(signal);
    })();
    const trades = [];
    for (const [round, killSignal] of /** @type {const} */ (['SIGKILL', 'SIGTERM']).entries()) {
      trades.push(await buy({ strategy_id: id }));
      // Waits for a trade signal of this round, so that the socket is open when the API is killed.
      await until(
        async () => received.length,
        (count) => count > round * 2,
      );
      await product.kill('graphql-api', killSignal);
      trades.push(await buy({ strategy_id: id }));
    }
    const filled = await Promise.all(
      trades.map((trade) => trader.api.trades.waitUntil(trade.id, { timeout: 30_000 })),
    );
    const fills = filled.flatMap((trade) => trade.fills);
    await until(
      async () => received.length,
      (count) => count >= fills.length,
    );
    stream.close();
    await reading;
    expect(received.map(({ sequence }) => sequence)).toEqual(fills.map((_fill, i) => i + 1));
    expect(new Set(received.map(({ source_trade_id }) => source_trade_id))).toEqual(
      new Set(trades.map((t) => t.id)),
    );
    // A new subscription from sequence 0 gets the same signals.
    expect(await take(live().tradeSignals(id, { afterSequence: 0 }), fills.length)).toEqual(received);
  });

  it('of another user’s private strategy are rejected with the same error as in REST', async () => {
    const { id } = await strategy('private');
    const stranger = keyOf('sdk realtime: stranger');
    await openAccount({ restUrl: product.restUrl, privateKey: stranger });
    const error = await failureOf(live(clientOf(stranger)).tradeSignals(id, { afterSequence: 0 }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.requestId).toEqual(expect.any(String));
  });
});

describe('an order book', () => {
  it('equals, at each sequence, the book that an independent client builds from the same messages', async () => {
    const { pair } = trader;
    const books = new Map();
    const stream = live().orderbook(pair.id, { depth: 5 });
    const reading = (async () => {
      for await (const book of stream) books.set(book.sequence, book);
    })();
    const independent = openIndependentClient(pair.id);
    const shared = () => [...independent.books.keys()].filter((sequence) => books.has(sequence));
    await until(
      async () => shared(),
      ({ length }) => length >= 10,
    );
    stream.close();
    await reading;
    await independent.end();
    for (const sequence of shared()) {
      const { bids, asks } = books.get(sequence);
      expect({ bids, asks }).toEqual(independent.books.get(sequence));
    }
    for (const { bids, asks, symbol } of books.values()) {
      expect(symbol).toBe('BTC/USDT');
      expect([bids.length, asks.length]).toEqual([5, 5]);
      expect(asks[0][0]).toBeGreaterThan(bids[0][0]);
    }
  });
});

/** Builds the order books of a pair with graphql-ws alone, for comparison with those of the SDK. */
function openIndependentClient(tradePairId) {
  const sign = createRequestSigner(trader.privateKey);
  const socket = openSocket({
    url: `${product.urlOf('graphql-api').replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: () => ({ ...sign({ method: 'CONNECT', path: '/graphql' }) }),
    retryAttempts: 0,
  });
  const books = new Map();
  const sides = { bids: new Map(), asks: new Map() };
  const query = `subscription Book($pair: ID!) {
    orderbookUpdate(tradePairId: $pair, depth: 5) { kind sequence bids asks }
  }`;
  socket.subscribe(
    { query, variables: { pair: tradePairId } },
    {
      next: ({ data }) => {
        const { kind, sequence, ...update } = data.orderbookUpdate;
        for (const side of ['bids', 'asks']) {
          if (kind === 'SNAPSHOT') sides[side].clear();
          for (const [price, amount] of update[side]) {
            if (Number(amount) === 0) sides[side].delete(Number(price));
            else sides[side].set(Number(price), Number(amount));
          }
        }
        const bids = [...sides.bids].sort(([a], [b]) => b - a);
        const asks = [...sides.asks].sort(([a], [b]) => a - b);
        books.set(sequence, { bids, asks });
      },
      error: () => {},
      complete: () => {},
    },
  );
  return { books, end: () => socket.dispose() };
}

describe('the connection', () => {
  it('is signed with the server’s time if the local clock is wrong', async () => {
    const { now } = Date;
    Date.now = () => now() + 300_000;
    try {
      const [book] = await take(live(clientOf(trader.privateKey)).orderbook(trader.pair.id), 1);
      expect(book.bids.length).toBeGreaterThan(0);
    } finally {
      Date.now = now;
    }
  });

  it('ends with an error when the key pair is revoked', async () => {
    const privateKey = keyOf('sdk realtime: second key');
    const { identity } = await openAccount({
      restUrl: product.restUrl,
      privateKey,
      label: 'to be revoked',
      apiKey: (await trader.api.apiKeys.create({ name: 'links', permissions: ['ADMIN'] })).key,
    });
    const stream = live(clientOf(privateKey)).orderbook(trader.pair.id);
    await take(stream, 1);
    const failure = failureOf(stream);
    await trader.api.publicKeys.revoke(identity.id);
    expect(await failure).toBeInstanceOf(AuthenticationError);
    expect(await failure).toMatchObject({ code: 'unknown_public_key' });
  });

  it('resumes a custom subscription after the server is stopped with SIGTERM', async () => {
    const stream = live().subscribe(
      'subscription ($pair: ID!) { orderbookUpdate(tradePairId: $pair, depth: 1) { kind } }',
      { pair: trader.pair.id },
    );
    await take(stream, 1);
    await product.kill('graphql-api', 'SIGTERM');
    const kinds = [];
    // A subscription starts with a SNAPSHOT, so another SNAPSHOT arrives after the client has subscribed again.
    for await (const { orderbookUpdate } of stream) {
      kinds.push(orderbookUpdate.kind);
      if (orderbookUpdate.kind === 'SNAPSHOT') break;
    }
    expect(kinds.at(-1)).toBe('SNAPSHOT');
  });

  it.each(['import', 'require'])(
    'works in a program that loads the package with %s, and lets the program exit',
    async (way) => {
      const names = [
        ['Client', ''],
        ['createSigner', '/signer'],
        ['Realtime', '/realtime'],
      ];
      const from = (entry) => `'@trading-automation/sdk${entry}'`;
      const program = `
      ${names
        .map(([name, entry]) =>
          way === 'import'
            ? `import { ${name} } from ${from(entry)};`
            : `const { ${name} } = require(${from(entry)});`,
        )
        .join('\n')}
      const client = new Client({ signer: createSigner(process.env.KEY), decimals: 'string', logLevel: 'off' });
      (async () => {
        for await (const book of new Realtime(client).orderbook(process.env.PAIR, { depth: 1 })) {
          console.log(JSON.stringify(book));
          break;
        }
      })();
    `;
      const kind = way === 'import' ? 'module' : 'commonjs';
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [`--input-type=${kind}`, '--eval', program],
        {
          cwd: process.env.TEST_PACKED_SDK,
          env: {
            PATH: process.env.PATH,
            SVC_BASE_URL: product.restUrl,
            SVC_GRAPHQL_URL: product.urlOf('graphql-api'),
            KEY: Buffer.from(trader.privateKey).toString('hex'),
            PAIR: trader.pair.id,
          },
        },
      );
      const { symbol, bids } = JSON.parse(stdout);
      expect(symbol).toBe('BTC/USDT');
      expect(bids).toEqual([
        [expect.stringMatching(/^\d+(\.\d+)?$/), expect.stringMatching(/^\d+(\.\d+)?$/)],
      ]);
    },
  );
});

describe('client.graphql', () => {
  it('returns the data of REST, and carries out a mutation once per Idempotency-Key', async () => {
    const { me } = await client.graphql('{ me { id } }');
    expect(me.id).toBe((await trader.api.me.get()).id);
    const document =
      'mutation Create($input: TradeCreateInput!) { createTrade(input: $input) { id status } }';
    const input = {
      exchangeAccountId: trader.account.id,
      tradePairId: trader.pair.id,
      type: 'MARKET',
      side: 'BUY',
      amount: '0.01',
    };
    const options = { idempotencyKey: 'sdk realtime: one purchase' };
    const { createTrade } = await client.graphql(document, { input }, options);
    const again = await client.graphql(document, { input }, options).withResponse();
    expect(again.data.createTrade.id).toBe(createTrade.id);
    expect(again.response.headers.get('idempotency-replayed')).toBe('true');
  });

  it('throws the same error as REST', async () => {
    const id = trader.pair.id.replace(/.{4}$/, '0000');
    const query = 'query ($id: ID!) { me { id } tradePair(id: $id) { id } }';
    const error = await client.graphql(query, { id }).catch((reason) => reason);
    const restError = await trader.api.tradePairs.get(id).catch((reason) => reason);
    expect(error).toBeInstanceOf(NotFoundError);
    for (const name of ['code', 'status', 'message', 'details']) expect(error[name]).toEqual(restError[name]);
    expect(error.graphql).toMatchObject({ path: ['tradePair'], data: { tradePair: null } });
    expect(error.graphql.data.me.id).toMatch(/^usr_/);
  });
});
