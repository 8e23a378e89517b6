/** Tests related records: they are read in batches for a whole list, and only those of the caller are returned. */
import { randomUUID } from 'node:crypto';
import { encodeId, type IdPrefix, OPERATIONS } from '@trading-automation/contracts';
import { countStatements } from '@trading-automation/core/testing';
import { malformedIds, unknownId } from '../../rest-api/test/proofs/contract.js';
import { TestUser } from '../../rest-api/test/proofs/test-user.js';
import { ApiPair, toErrorResult } from './api-pair.js';
import { itemSelectionOf, SCHEMA } from './operation-requests.js';
import { sendGraphql } from './test-graphql-api.js';

const STATEMENTS_MAX = 5;
const ITEMS = 100;

let apis: ApiPair;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  apis = await ApiPair.open();
  owner = await TestUser.create(apis.environment);
  stranger = await TestUser.create(apis.environment);
});
afterAll(() => apis?.close());

async function dataOf(person: TestUser, query: string, variables: object = {}) {
  const { data, errors } = await sendGraphql(apis.graphql, person.keyPair, { query, variables });
  expect(errors).toBeUndefined();
  return data;
}

/** Inserts copies of a row with new ids, each changed by an expression. */
async function copyRow(table: string, id: string, changes: Readonly<Record<string, string>>, count = ITEMS) {
  const pairs = Object.entries({ id: 'gen_random_uuid()', ...changes }).map(
    ([name, to]) => `'${name}', ${to}`,
  );
  await apis.environment.rows(
    `INSERT INTO ${table} SELECT (jsonb_populate_record(original, jsonb_build_object(${pairs.join(', ')}))).*
     FROM ${table} original, generate_series(1, ${count}) AS copy (place) WHERE original.id = $1`,
    apis.environment.uuidOf(id),
  );
}

/** Returns an SQL expression that picks an id by the index of the copy, so that neighbours have different records. */
const oneOf = (ids: readonly string[]) =>
  `(ARRAY[${ids.map((id) => `'${apis.environment.uuidOf(id)}'`).join(', ')}])[1 + copy.place % ${ids.length}]`;
const createSeveral = (make: () => Promise<string>, count = 4) =>
  Promise.all(Array.from({ length: count }, () => make()));

/** Returns the items of a list, and checks how many statements the list takes. */
async function fetchList(
  query: string,
  field: string,
): Promise<readonly Record<string, { id: string } | null>[]> {
  // The caller is looked up once and then cached.
  await dataOf(owner, '{ me { id } }');
  let data: Awaited<ReturnType<typeof dataOf>>;
  const counts: number[] = [];
  for (let i = 0; i < 3; i++)
    counts.push(
      await countStatements(apis.graphql.platform.database, async () => {
        data = await dataOf(owner, query);
      }),
    );
  // The process also runs background statements, so the minimum of several reads is the number for the list.
  const statements = Math.min(...counts);
  expect(data[field].nodes).toHaveLength(ITEMS);
  expect(statements).toBeGreaterThan(1);
  expect(statements).toBeLessThanOrEqual(STATEMENTS_MAX);
  return data[field].nodes;
}

function expectEdges(
  items: readonly Record<string, unknown>[],
  edges: Readonly<Record<string, string>>,
  distinctCount = 4,
): void {
  for (const [edge, id] of Object.entries(edges)) {
    for (const item of items) expect((item[edge] as { id: string } | null)?.id ?? null).toBe(item[id]);
    expect(new Set(items.map((item) => item[id])).size).toBe(distinctCount);
  }
}

/**
 * For each related record: the field of the item that contains its id, and the number of distinct records. Null if each
 * item has its own record.
 */
type Edges = Readonly<Record<string, readonly [id: string, distinctCount: number] | null>>;

/** Lists the items with every combination of three related records, and checks which records are returned. */
async function expectEveryThree(
  edges: Edges,
  list: (selection: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<void> {
  for (const three of threesOf(Object.keys(edges))) {
    const items = await list(three.map((edge) => `${edges[edge]?.[0] ?? 'id'} ${edge} { id }`).join(' '));
    for (const edge of three) {
      const [id, distinctCount] = edges[edge] ?? [];
      if (id !== undefined) expectEdges(items, { [edge]: id }, distinctCount);
      else expectDistinctRecords(items.map((item) => item[edge] as readonly { id: string }[]));
    }
  }
}

function expectDistinctRecords(lists: readonly (readonly { id: string }[])[]): void {
  for (const list of lists) expect(list).toHaveLength(1);
  expect(new Set(lists.flat().map(({ id }) => id)).size).toBe(ITEMS);
}

const threesOf = (all: readonly string[]) =>
  all.flatMap((first, i) =>
    all.slice(i + 1).flatMap((second, j) => all.slice(i + j + 2).map((third) => [first, second, third])),
  );

describe(`a list of ${ITEMS} items with several related records takes at most ${STATEMENTS_MAX} statements`, () => {
  it('for trades with any three of account, pair, strategy, copier, source and fills', async () => {
    const [accounts, strategies, copiers, sources] = await Promise.all([
      createSeveral(() => owner.account()),
      createSeveral(() => owner.strategy()),
      createSeveral(() => owner.copier()),
      createSeveral(() => owner.trade()),
    ]);
    const pairs = (await owner.requireData('GET', '/v1/trade-pairs')) as unknown as readonly { id: string }[];
    await copyRow('trades', sources[0]!, {
      client_order_id: "'copy-' || copy.place",
      exchange_account_id: oneOf(accounts),
      trade_pair_id: oneOf(pairs.map(({ id }) => id)),
      strategy_id: oneOf(strategies),
      copier_id: oneOf(copiers),
      source_trade_id: oneOf(sources),
      created_at: "now() + copy.place * interval '1 millisecond'",
    });
    await apis.environment.rows(
      `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
         fee_currency, liquidity, executed_at)
       SELECT gen_random_uuid(), id, exchange_account_id, symbol, client_order_id, 1, 1, 0, 'USDT', 'TAKER', now()
       FROM trades WHERE client_order_id LIKE 'copy-%'`,
    );
    const edges: Edges = {
      exchangeAccount: ['exchangeAccountId', accounts.length],
      tradePair: ['tradePairId', pairs.length],
      strategy: ['strategyId', strategies.length],
      copier: ['copierId', copiers.length],
      sourceTrade: ['sourceTradeId', sources.length],
      fills: null,
    };
    await expectEveryThree(edges, (selection) =>
      fetchList(`{ trades(first: ${ITEMS}) { nodes { ${selection} } } }`, 'trades'),
    );
  });

  it('for copiers with strategy and account', async () => {
    const [accounts, strategies] = await Promise.all([
      createSeveral(() => owner.account()),
      createSeveral(() => owner.strategy()),
    ]);
    await copyRow('copiers', await owner.linkedCopier(), {
      exchange_account_id: oneOf(accounts),
      strategy_id: oneOf(strategies),
      created_at: "now() + copy.place * interval '1 millisecond'",
    });
    const copiers = await fetchList(
      `{ copiers(first: ${ITEMS}) { nodes { strategyId exchangeAccountId
        strategy { id name } exchangeAccount { id accountName } } } }`,
      'copiers',
    );
    expectEdges(copiers, { strategy: 'strategyId', exchangeAccount: 'exchangeAccountId' });
  });

  it('for decisions with any three of copier, strategy, source and trade', async () => {
    const [strategies, trades] = await Promise.all([
      createSeveral(() => owner.strategy()),
      createSeveral(() => owner.trade()),
    ]);
    const copierId = await owner.copierWithDecisions();
    const [decision] = (await owner.requireData('GET', `/v1/copiers/${copierId}/decisions`)) as unknown as {
      id: string;
    }[];
    await copyRow('signals', await owner.signal(), {
      sequence: '100 + copy.place',
      lot_trade_id: 'gen_random_uuid()',
    });
    await copyRow('decisions', decision!.id, {
      sequence: '100 + copy.place',
      signal_id: '(SELECT id FROM signals WHERE sequence = 100 + copy.place)',
      strategy_id: oneOf(strategies),
      source_trade_id: oneOf(trades),
      trade_id: oneOf(trades),
      created_at: "now() + copy.place * interval '1 millisecond'",
    });
    const edges: Edges = {
      copier: ['copierId', 1],
      strategy: ['strategyId', strategies.length],
      sourceTrade: ['sourceTradeId', trades.length],
      trade: ['tradeId', trades.length],
    };
    await expectEveryThree(edges, (selection) =>
      fetchList(
        `{ copierDecisions(copierId: "${copierId}", first: ${ITEMS}) { nodes { ${selection} } } }`,
        'copierDecisions',
      ),
    );
  });
});

describe('node', () => {
  /** For each type that can be loaded by id: the operation that returns the record, and a function that creates one. */
  const RECORDS: Readonly<
    Record<string, readonly [operation: string, make: (user: TestUser) => Promise<string>]>
  > = {
    ExchangeAccount: ['exchanges.get', (user) => user.account()],
    TradePair: ['tradePairs.get', async (user) => user.environment.pairId],
    Trade: ['trades.get', (user) => user.trade()],
    Lot: ['lots.get', (user) => user.lot()],
    Position: ['positions.list', (user) => user.position()],
    Strategy: ['strategies.get', (user) => user.strategy()],
    Copier: ['copiers.get', (user) => user.linkedCopier()],
    Reward: ['rewards.list', (user) => user.reward()],
    RewardType: ['rewards.types', async (user) => user.environment.rewardTypeId],
    Withdrawal: ['withdrawals.get', (user) => user.withdrawal()],
    WithdrawalAddress: ['withdrawalAddresses.get', (user) => user.withdrawalAddress()],
    Notification: ['notifications.list', (user) => user.notification()],
    Webhook: ['webhooks.get', (user) => user.webhook()],
  };
  const types = SCHEMA.getPossibleTypes(SCHEMA.getType('Node') as never).map(({ name }) => name);
  const SHARED = ['TradePair', 'RewardType'];
  const NODE = 'query Found($id: ID!) { node(id: $id) { __typename id } }';

  async function expectNotFound(person: TestUser, id: string): Promise<void> {
    const { data, errors } = await sendGraphql(apis.graphql, person.keyPair, {
      query: NODE,
      variables: { id },
    });
    expect({ id, data, code: errors?.map((error) => toErrorResult(error).code) }).toEqual({
      id,
      data: { node: null },
      code: ['not_found'],
    });
  }

  it.each(types)('returns a %s by its id, like its own query, to permitted callers', async (type) => {
    const [operationId, make] = RECORDS[type]!;
    const id = await make(owner);
    const selection = itemSelectionOf(OPERATIONS.find((operation) => operation.id === operationId)!);
    const { node } = await dataOf(
      owner,
      `query Found($id: ID!) { node(id: $id) { __typename ... on ${type} ${selection} } }`,
      { id },
    );
    const { __typename, ...record } = node;
    expect(__typename).toBe(type);
    expect(record).toEqual(await fetchRecord(operationId, id, selection));
    if (!SHARED.includes(type)) await expectNotFound(stranger, id);
    const prefix = id.slice(0, 3) as IdPrefix;
    for (const wrong of [unknownId(prefix), ...malformedIds(prefix)]) await expectNotFound(owner, wrong);
  });

  /** Returns the record as its own query returns it, or its list if there is no such query. */
  async function fetchRecord(operationId: string, id: string, selection: string): Promise<unknown> {
    const [resource = '', verb] = operationId.split('.');
    if (verb === 'get') {
      const field =
        {
          exchanges: 'exchangeAccount',
          strategies: 'strategy',
          withdrawalAddresses: 'withdrawalAddress',
        }[resource] ?? resource.slice(0, -1);
      return (await dataOf(owner, `query One($id: ID!) { ${field}(id: $id) ${selection} }`, { id }))[field];
    }
    const field = verb === 'types' ? 'rewardTypes' : resource;
    const { nodes } = (await dataOf(owner, `{ ${field}(first: 100) { nodes ${selection} } }`))[field];
    return (nodes as { id: string }[]).find((record) => record.id === id);
  }

  it('returns not_found for types that cannot be loaded by id, and for malformed ids', async () => {
    const event = await owner.event();
    for (const id of [
      event,
      owner.id,
      '',
      '_',
      'constructor_x',
      '__proto___x',
      encodeId('key', randomUUID()),
    ])
      await expectNotFound(owner, id);
  });
});

it('a related record of another user is null', async () => {
  const trade = await owner.trade();
  const [theirs, account] = [await stranger.strategy(), await stranger.account()];
  await apis.environment.rows(
    'UPDATE trades SET strategy_id = $2, exchange_account_id = $3 WHERE id = $1',
    ...[trade, theirs, account].map((id) => apis.environment.uuidOf(id)),
  );
  const { trade: found } = await dataOf(
    owner,
    `{ trade(id: "${trade}") { strategyId strategy { id } exchangeAccountId exchangeAccount { id } tradePair { id } } }`,
  );
  expect(found).toMatchObject({
    strategyId: theirs,
    strategy: null,
    exchangeAccountId: account,
    exchangeAccount: null,
    tradePair: { id: apis.environment.pairId },
  });
});

it('a loaded record is never cached for another caller', async () => {
  const [ours, theirs] = [await owner.copier(await owner.strategy()), await stranger.linkedCopier()];
  const query = 'query Both($a: ID!, $b: ID!) { ours: node(id: $a) { id } theirs: node(id: $b) { id } }';
  const fetchBoth = (person: TestUser) =>
    sendGraphql(apis.graphql, person.keyPair, { query, variables: { a: ours, b: theirs } });
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, i) => fetchBoth(i % 2 === 0 ? owner : stranger)),
  );
  responses.forEach(({ data }, i) => {
    const expected =
      i % 2 === 0 ? { ours: { id: ours }, theirs: null } : { ours: null, theirs: { id: theirs } };
    expect(data).toEqual(expected);
  });
});

it('the next operation returns the current state of a changed record', async () => {
  const copier = await owner.linkedCopier();
  const name = async () =>
    (await dataOf(owner, `{ node(id: "${copier}") { ... on Copier { name } } }`)).node.name;
  expect(await name()).toBe('follower');
  await owner.requireData('PATCH', `/v1/copiers/${copier}`, { name: 'renamed' });
  expect(await name()).toBe('renamed');
});
