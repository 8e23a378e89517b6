/** Tests that every read returns the same records, pages, totals and cursors in REST and GraphQL. */
import type { Operation } from '@trading-automation/contracts';
import { idLocations, populate } from '../../rest-api/test/proofs/contract.js';
import type { GoodRequest } from '../../rest-api/test/proofs/requests.js';
import { TestUser } from '../../rest-api/test/proofs/test-user.js';
import { type SchemaNode, unwrap } from '../src/schema/generated-types.js';
import { ApiPair, graphqlOutcome, restOutcome } from './api-pair.js';
import {
  camelCase,
  itemSelectionOf,
  rootFieldOf,
  SHARED_OPERATIONS,
  toGraphqlData,
} from './operation-requests.js';

/** Members that differ from request to request, in both APIs. */
const VOLATILE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'auth.cliChallenge': ['challenge', 'expiresAt'],
  'health.detailed': ['age_ms'],
};

/** Values of filters whose field the records do not contain: one that matches records, and one that matches none. */
const FILTER_VALUES: Readonly<Record<string, readonly string[]>> = {
  'requestLog.list status': ['200', '4xx'],
  'requestLog.list credential_id': ['key_01k9y3wq8ge3j8p8bf1mq93h57'],
  'strategies.list symbol': ['BTC/USDT', 'NONE/USDT'],
  'tradePairs.list search': ['btc/u', 'COMMON', 'none'],
  'strategies.list min_days': ['0', '1'],
};

const reads = SHARED_OPERATIONS.filter((operation) => rootFieldOf(operation).kind === 'query');
const named = (operations: readonly Operation[]) =>
  operations.map((operation) => [operation.id, operation] as const);
const lists = reads.filter(({ list }) => list !== undefined);
const records = reads.filter(({ list }) => list === undefined);

let apis: ApiPair;
let owner: TestUser;
let requests: ReadonlyMap<Operation, GoodRequest>;
beforeAll(async () => {
  apis = await ApiPair.open();
  owner = await TestUser.create(apis.environment);
  requests = await populate(owner);
});
afterAll(() => apis?.close());

const withQuery = (operation: Operation, query: Readonly<Record<string, string>>): GoodRequest => {
  const request = requests.get(operation)!;
  return { ...request, query: { ...request.query, ...query } };
};

function withoutVolatileFields(operation: Operation, value: unknown): unknown {
  const volatileFields = VOLATILE_FIELDS[operation.id] ?? [];
  return JSON.parse(JSON.stringify(value), (name, member) =>
    volatileFields.includes(name) ? typeof member : member,
  );
}

describe.each(named(records))('%s', (_id, operation) => {
  it('is the same record in both APIs', async () => {
    const request = requests.get(operation)!;
    const rest = restOutcome(await apis.callRest(owner, operation, request));
    const graphql = graphqlOutcome(operation, await apis.callGraphql(owner, operation, request));
    expect([rest.error, graphql.error]).toEqual([undefined, undefined]);
    expect(withoutVolatileFields(operation, graphql.data)).toEqual(
      withoutVolatileFields(operation, toGraphqlData(operation, rest.data)),
    );
  });
});

interface RestPage {
  readonly data: unknown;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly total: number | undefined;
}
type Query = Readonly<Record<string, string>>;

async function restPage(operation: Operation, query: Query): Promise<RestPage> {
  const response = await apis.callRest(owner, operation, withQuery(operation, query));
  if (response.status !== 200) throw new Error(response.text);
  const { has_more, next_cursor, total } = response.json.pagination as {
    readonly has_more: boolean;
    readonly next_cursor: string | null;
    readonly total?: number;
  };
  return {
    data: toGraphqlData(operation, response.json.data),
    hasMore: has_more,
    nextCursor: next_cursor,
    total,
  };
}

async function graphqlPage(operation: Operation, query: Query) {
  const item = itemSelectionOf(operation);
  const page = `{ nodes ${item} edges { cursor node ${item} } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
  const response = await apis.callGraphql(owner, operation, withQuery(operation, query), page);
  const { data, error } = graphqlOutcome(operation, response);
  if (error !== undefined) throw new Error(response.text);
  return data as {
    readonly nodes: readonly Record<string, unknown>[];
    readonly edges: readonly { readonly cursor: string; readonly node: unknown }[];
    readonly totalCount: number;
    readonly pageInfo: {
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
      readonly startCursor: string | null;
      readonly endCursor: string | null;
    };
  };
}

describe.each(named(lists))('%s', (_id, operation) => {
  it('has the records of the page as nodes and as edges, and the total', async () => {
    for (const query of [{}, { limit: '1' }, { limit: '100' }] as Query[]) {
      const rest = await restPage(operation, { ...query, include: 'total' });
      const { nodes, edges, totalCount, pageInfo } = await graphqlPage(operation, query);
      expect(nodes.length).toBeGreaterThan(0);
      expect(nodes).toEqual(rest.data);
      expect(edges.map(({ node }) => node)).toEqual(nodes);
      expect(totalCount).toBe(rest.total);
      expect(pageInfo).toEqual({
        hasNextPage: rest.hasMore,
        hasPreviousPage: false,
        startCursor: edges[0]!.cursor,
        endCursor: edges.at(-1)!.cursor,
      });
    }
  });

  it('a cursor of either API continues the list in REST and in GraphQL', async () => {
    const whole = await graphqlPage(operation, { limit: '100' });
    expect(whole.nodes.length).toBeGreaterThan(1);
    const { nextCursor } = await restPage(operation, { limit: '1' });
    const { edges } = await graphqlPage(operation, { limit: '1' });
    const remaining = whole.nodes.slice(1);
    for (const cursor of [nextCursor!, edges[0]!.cursor]) {
      const page = await graphqlPage(operation, { limit: '99', cursor });
      expect(page.nodes).toEqual(remaining);
      expect(page.pageInfo.hasPreviousPage).toBe(true);
      expect(page.totalCount).toBe(whole.totalCount);
      expect((await restPage(operation, { limit: '99', cursor })).data).toEqual(remaining);
    }
  });

  it('sorts by each field in both directions, under its GraphQL or REST name', async () => {
    for (const sort of operation.list!.sorts)
      for (const order of ['asc', 'desc']) {
        const rest = await restPage(operation, { sort, order, limit: '100' });
        for (const name of [sort, camelCase(sort)]) {
          const { nodes } = await graphqlPage(operation, { sort: name, order, limit: '100' });
          expect(nodes).toEqual(rest.data);
        }
      }
  });

  const filters = Object.entries(operation.query?.shape ?? {});
  if (filters.length > 0)
    it('returns the same records for its filters', async () => {
      const whole = (await restPage(operation, { limit: '100' })).data as Record<string, unknown>[];
      const effectiveFilters = new Set<string>();
      for (const [name] of filters)
        for (const value of await valuesFor(operation, name, whole)) {
          const rest = await restPage(operation, { [name]: value, limit: '100', include: 'total' });
          const { nodes, totalCount } = await graphqlPage(operation, { [name]: value, limit: '100' });
          expect({ [name]: value, nodes }).toEqual({ [name]: value, nodes: rest.data });
          expect(totalCount).toBe(rest.total);
          if (nodes.length !== whole.length) effectiveFilters.add(name);
        }
      // Each filter excludes something, so that the test shows its effect.
      expect([...effectiveFilters]).toEqual(filters.map(([name]) => name));
    });
});

/**
 * Returns values of a filter. For an enum: all its values. For an instant: creation times of records. Otherwise: values
 * of the records, and values that match no record.
 */
async function valuesFor(
  operation: Operation,
  name: string,
  records: readonly Record<string, unknown>[],
): Promise<string[]> {
  const given = FILTER_VALUES[`${operation.id} ${name}`];
  if (given !== undefined) return [...given];
  const [inner] = unwrap(operation.query!.shape[name] as unknown as SchemaNode);
  if (inner.def.type === 'enum') return Object.values(inner.def.entries!);
  if (inner.meta()?.format === 'date-time')
    return records.slice(0, 3).map(({ createdAt }) => createdAt as string);
  const values = records
    .map((record) => record[camelCase(name)] as string | null)
    .filter((value) => value !== null);
  return [...new Set([...values.slice(0, 20), ...(await valuesWithoutRecord(operation, name))])];
}

/** Valid values of a filter that match no record. */
async function valuesWithoutRecord(operation: Operation, name: string): Promise<string[]> {
  const place = idLocations(operation).find((one) => one.part === 'query' && one.name === name);
  if (place === undefined) return name === 'exchange' ? ['other'] : [];
  // Each decision belongs to a different signal, so a filter by a signal of the records excludes the others.
  if (place.prefix === 'sig') return [];
  if (place.prefix !== 'rwt') return [await owner.idOf(place.prefix)];
  const types = await owner.requireData('GET', '/v1/rewards/types');
  return (types as unknown as readonly { id: string }[]).map(({ id }) => id);
}
