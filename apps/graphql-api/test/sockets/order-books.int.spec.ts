/** Tests the messages that subscribers of an order book get, in one process and in two. */
import { eventually } from '@trading-automation/runtime/testing';
import type { Client } from 'graphql-ws';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { type KeyPair, openAccount } from '../../../rest-api/test/test-rest-api.js';
import type { RequestContext } from '../../src/graphql/context.js';
import { DocumentCache } from '../../src/server/document-cache.js';
import type { TestGraphqlApi } from '../test-graphql-api.js';
import { applyUpdates, BOOK_FIELDS, type BookUpdate, PublishedBook } from './published-book.js';
import { clientOf, RawClient, startApiPair, TestSubscription } from './socket-clients.js';

let environment: TestEnvironment;
let apis: readonly [TestGraphqlApi, TestGraphqlApi];
let holder: KeyPair;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  apis = await startApiPair(environment.api.databaseUrl);
});
afterAll(async () => {
  await Promise.all(apis.map((api) => api.close()));
  await environment.close();
});

let book: PublishedBook;
const clients: Client[] = [];
beforeEach(async () => {
  holder = await openAccount(environment.api);
  book = await PublishedBook.open(environment);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  await eventually(async () => (await book.listeners()) === 0);
  book.close();
  expect(book.errors).toEqual([]);
});

function connect(api = apis[0]): Client {
  const client = clientOf(api, holder);
  clients.push(client);
  return client;
}

const QUERY = `subscription ($pair: ID!, $levels: Int) {
  orderbookUpdate(tradePairId: $pair, depth: $levels) { ${BOOK_FIELDS} }
}`;

const listen = (client: Client, levels = 20, query = QUERY, field = 'orderbookUpdate') =>
  new TestSubscription<BookUpdate>(client, field, query, { pair: book.pairId, levels });

const BIDS = [
  ['3', '1'],
  ['2', '1'],
  ['1', '1'],
] as const;

describe('an order book', () => {
  it('starts with a snapshot and continues with consecutive deltas, up to the requested depth', async () => {
    await book.reset(BIDS, [
      ['4', '1'],
      ['5', '1'],
    ]);
    const client = connect();
    const [best, all] = [listen(client, 2), listen(client)];
    await Promise.all([best.waitForCount(1), all.waitForCount(1)]);
    expect(best.received[0]).toMatchObject({
      kind: 'SNAPSHOT',
      previousSequence: null,
      bids: BIDS.slice(0, 2),
      asks: [
        ['4', '1'],
        ['5', '1'],
      ],
    });
    await book.change([['3', '0']]);
    await Promise.all([best.waitForCount(2), all.waitForCount(2)]);
    // The third level became one of the best two. A level beyond the depth would not be reported.
    expect(best.received[1]).toMatchObject({
      kind: 'DELTA',
      previousSequence: best.received[0]!.sequence,
      bids: [
        ['3', '0'],
        ['1', '1'],
      ],
    });
    expect(all.received[1]).toMatchObject({ kind: 'DELTA', bids: [['3', '0']], asks: [] });
    await book.change([], [['4.5', '7']]);
    await Promise.all([best.waitForCount(3), all.waitForCount(3)]);
    expect(applyUpdates(all.received)).toEqual({ bids: book.bids, asks: book.asks });
    expect(applyUpdates(best.received)).toEqual({ bids: book.bids.slice(0, 2), asks: book.asks.slice(0, 2) });
  });

  it('recovers from a gap with a snapshot', async () => {
    await book.reset(BIDS);
    const subscription = listen(connect());
    await subscription.waitForCount(1);
    await book.dropMessage([['9', '1']]);
    await book.change([['2', '5']]);
    await subscription.waitUntil(() => subscription.received.at(-1)?.bids[0]?.[0] === '9');
    expect(subscription.received.at(-1)?.kind).toBe('SNAPSHOT');
    await book.change([['1', '6']]);
    await subscription.waitUntil(() => subscription.received.at(-1)?.kind === 'DELTA');
    expect(applyUpdates(subscription.received)).toEqual({ bids: book.bids, asks: [] });
  });

  it('is the same in every process at each sequence', async () => {
    await book.reset(BIDS);
    const [one, two] = apis.map((api) => listen(connect(api))) as [
      TestSubscription<BookUpdate>,
      TestSubscription<BookUpdate>,
    ];
    await Promise.all([one.waitForCount(1), two.waitForCount(1)]);
    for (let i = 1; i <= 50; i++) await book.change([[String((i % 7) + 1), String(i)]]);
    const isLastChange = ([price, amount]: readonly [string, string]) => price === '2' && amount === '50';
    for (const each of [one, two]) await each.waitUntil(() => each.received.at(-1)!.bids.some(isLastChange));
    expect(applyUpdates(one.received)).toEqual({ bids: book.bids, asks: [] });
    expect(applyUpdates(two.received)).toEqual({ bids: book.bids, asks: [] });
    const bySequence = new Map(
      one.received.filter(({ kind }) => kind === 'DELTA').map((update) => [update.sequence, update]),
    );
    const shared = two.received.filter(({ kind, sequence }) => kind === 'DELTA' && bySequence.has(sequence));
    const comparable = shared.filter(
      ({ sequence, previousSequence }) => bySequence.get(sequence)?.previousSequence === previousSequence,
    );
    expect(comparable.length).toBeGreaterThan(0);
    for (const update of comparable) expect(update).toEqual(bySequence.get(update.sequence));
  });
});

describe('a subscription', () => {
  it('takes its arguments from variables of any name, literals, defaults and fragments, under any alias', async () => {
    await book.reset(BIDS);
    const client = connect();
    const cases = [
      [
        'subscription ($p: ID!, $d: Int) { orderbookUpdate(tradePairId: $p, depth: $d) { bids } }',
        { p: book.pairId, d: 1 },
        1,
      ],
      // These variables have the names of arguments but other meanings: only the field's own arguments matter.
      [
        'subscription ($depth: ID!, $tradePairId: Int) { orderbookUpdate(tradePairId: $depth, depth: $tradePairId) { bids } }',
        { depth: book.pairId, tradePairId: 2 },
        2,
      ],
      [`subscription { orderbookUpdate(tradePairId: "${book.pairId}", depth: 1) { bids } }`, {}, 1],
      [
        'subscription ($p: ID!, $d: Int = 2) { orderbookUpdate(tradePairId: $p, depth: $d) { bids } }',
        { p: book.pairId },
        2,
      ],
      ['subscription ($p: ID!) { orderbookUpdate(tradePairId: $p) { bids } }', { p: book.pairId }, 3],
      [
        `subscription ($p: ID!) { ...Book }
         fragment Book on Subscription { orderbookUpdate(tradePairId: $p, depth: 2) { ... on OrderBookUpdate { bids } } }`,
        { p: book.pairId },
        2,
      ],
    ] as const;
    for (const [query, variables, levels] of cases) {
      const subscription = new TestSubscription<BookUpdate>(client, 'orderbookUpdate', query, variables);
      expect(await subscription.waitForCount(1)).toEqual([{ bids: BIDS.slice(0, levels) }]);
      // A document is compiled on its second execution, which is the one for this change.
      await book.change([['3', '2']]);
      await subscription.waitForCount(2);
      expect(subscription.received[1]).toEqual({ bids: [['3', '2']] });
      await book.reset(BIDS);
      subscription.stop();
    }
    const aliased = new TestSubscription<object>(
      client,
      'mine',
      'subscription ($p: ID!) { mine: orderbookUpdate(tradePairId: $p, depth: 1) { best: bids, is: __typename } }',
      { p: book.pairId },
    );
    expect(await aliased.waitForCount(1)).toEqual([{ best: BIDS.slice(0, 1), is: 'OrderBookUpdate' }]);
  });

  it('gets its own selection, regardless of other selections of the same event', async () => {
    await book.reset(BIDS);
    const client = connect();
    const selecting = (fields: string) =>
      listen(client, 20, QUERY.replace(BOOK_FIELDS, fields)) as TestSubscription<object>;
    const [kinds, bids, both] = [selecting('kind'), selecting('bids'), selecting('kind bids')];
    await Promise.all([kinds, bids, both].map((each) => each.waitForCount(1)));
    await book.change([['3', '4']]);
    await Promise.all([kinds, bids, both].map((each) => each.waitForCount(2)));
    expect(kinds.received).toEqual([{ kind: 'SNAPSHOT' }, { kind: 'DELTA' }]);
    expect(bids.received).toEqual([{ bids: BIDS }, { bids: [['3', '4']] }]);
    expect(both.received[1]).toEqual({ kind: 'DELTA', bids: [['3', '4']] });
  });

  it('is executed once for all subscribers with the same request, without a caller', async () => {
    await book.reset(BIDS);
    const { execute } = DocumentCache.prototype;
    const actors: unknown[] = [];
    DocumentCache.prototype.execute = function (args) {
      actors.push((args.contextValue as RequestContext).actor);
      return execute.call(this, args);
    };
    try {
      const one = connect();
      const two = clientOf(apis[0], await openAccount(environment.api));
      clients.push(two);
      const same = [one, two].flatMap((client) => Array.from({ length: 10 }, () => listen(client)));
      await Promise.all(same.map((each) => each.waitForCount(1)));
      const before = actors.length;
      await book.change([['3', '8']]);
      await Promise.all(same.map((each) => each.waitForCount(2)));
      expect(actors.slice(before)).toEqual([null]);
      for (const each of same) expect(each.received[1]).toEqual(same[0]!.received[1]);
    } finally {
      DocumentCache.prototype.execute = execute;
    }
  });

  it.each([0, -1, 501])('to a depth of %s is rejected; the error names the argument', async (levels) => {
    const subscription = listen(connect(), levels);
    expect(await subscription.outcome()).toBe('complete');
    expect(subscription.results[0]?.errors).toMatchObject([
      { path: ['orderbookUpdate'], extensions: { code: 'invalid_query', details: [{ field: 'depth' }] } },
    ]);
  });

  it('to an unknown pair is rejected', async () => {
    for (const pair of ['tpr_x', 'nothing', book.pairId.replace(/....$/, '0000')]) {
      const subscription = new TestSubscription(connect(), 'orderbookUpdate', QUERY, { pair, levels: 1 });
      expect(await subscription.outcome()).toBe('complete');
      expect(subscription.results).toMatchObject([
        { errors: [{ path: ['orderbookUpdate'], extensions: { code: 'not_found' } }] },
      ]);
    }
  });
});

describe('the source of a book', () => {
  it('is released immediately when its last subscription completes, even if no event follows', async () => {
    await book.reset(BIDS);
    const client = connect();
    const [one, two] = [listen(client), listen(client, 3)];
    await Promise.all([one.waitForCount(1), two.waitForCount(1)]);
    expect(await book.listeners()).toBe(1);
    one.stop();
    await one.outcome();
    await book.change([['3', '2']]);
    await two.waitForCount(2);
    expect([one.received.length, await book.listeners()]).toEqual([1, 1]);
    two.stop();
    await eventually(async () => (await book.listeners()) === 0);
  });

  it('is released immediately when the socket of its subscribers is closed or cut', async () => {
    await book.reset(BIDS);
    for (const leave of [(raw: RawClient) => raw.socket.close(), (raw: RawClient) => raw.cut()]) {
      const raw = await RawClient.join(apis[0], holder);
      for (const id of ['1', '2']) raw.subscribe(id, QUERY, { pair: book.pairId, levels: 2 });
      await raw.until(() => raw.payloadsOf('1').length > 0 && raw.payloadsOf('2').length > 0);
      expect(await book.listeners()).toBe(1);
      leave(raw);
      await eventually(async () => (await book.listeners()) === 0);
    }
  });

  it('is released, too, if a client reuses an id while the first subscription with that id is still being opened', async () => {
    await book.reset(BIDS);
    const raw = await RawClient.join(apis[0], holder);
    for (let i = 0; i < 5; i++) {
      raw.subscribe('again', QUERY, { pair: book.pairId, levels: 2 });
      raw.sendMessage({ id: 'again', type: 'complete' });
    }
    raw.subscribe('again', QUERY, { pair: book.pairId, levels: 2 });
    await raw.until(() => raw.payloadsOf('again').length > 0);
    raw.cut();
    await eventually(async () => (await book.listeners()) === 0);
  });
});
