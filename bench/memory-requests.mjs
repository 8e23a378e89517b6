/** The requests of `memory.mjs`. Both rounds send the same kinds of requests, with values that the other one never sends. */
import { createHash } from 'node:crypto';
import { encodeId } from '@trading-automation/contracts';

const ORDERS = ['asc', 'desc'];
/** The limits of a round: half of those allowed. */
const LIMITS_PER_ROUND = 50;
/** Parameters of every list. All others are filters. */
const LIST_PARAMETERS = ['limit', 'offset', 'cursor', 'sort', 'order', 'include'];

/**
 * @typedef {{ path: string, sorts: readonly string[], filters: readonly { name: string, schema: any }[] }} List
 * @typedef {{ method: string, path: string, body?: object, headers?: Record<string, string>, isSigned?: boolean }} Request
 *   `isSigned`: it is sent to the GraphQL API
 */

/**
 * Finds every list with its parameters in a release's OpenAPI document.
 *
 * @returns {List[]}
 */
export function listsOf(document) {
  const resolve = (value) =>
    value.$ref === undefined
      ? value
      : value.$ref
          .slice(2)
          .split('/')
          .reduce((node, key) => node[key], document);
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    const parameters = (get?.parameters ?? []).map(resolve).filter((parameter) => parameter.in === 'query');
    const sort = parameters.find(({ name }) => name === 'sort');
    if (sort === undefined || !parameters.some(({ name }) => name === 'limit')) return [];
    const filters = parameters
      .filter(({ name }) => !LIST_PARAMETERS.includes(name))
      .map(({ name, schema }) => ({ name, schema: resolve(schema) }));
    return [{ path, sorts: resolve(sort.schema).enum, filters }];
  });
}

/** Returns a UUID that depends only on its label. */
function uuidOf(label) {
  const hex = createHash('sha256').update(label).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Filters by records of the caller, as placeholders. */
const OWN_IDS = { strategy_id: '{strategyId}', exchange_account_id: '{exchangeAccountId}' };

/** Returns a value of a filter that no other label gets, unless the values are a closed list. */
function filterValue({ name, schema }, label, index) {
  if (schema.enum !== undefined) return schema.enum[index % schema.enum.length];
  // Lists answer 404 for an account or a strategy that does not exist.
  if (OWN_IDS[name] !== undefined) return OWN_IDS[name];
  if (schema['x-id-prefix'] !== undefined) return encodeId(schema['x-id-prefix'], uuidOf(label));
  if (schema.format === 'date-time')
    return new Date(
      1_700_000_000_000 + (Number.parseInt(uuidOf(label).slice(0, 8), 16) % 60_000_000) * 1_000,
    ).toISOString();
  if (name === 'type') return ['trade.*', 'trade.filled', 'key.*', 'copier.started'][index % 4];
  return `value-${uuidOf(label).slice(0, 13)}`;
}

/**
 * Yields requests for every list: each sort and order with every combination of filters and every kind of position. Each
 * request has another limit, so that all limits of the round occur.
 *
 * @param {readonly List[]} lists
 * @param {{ round: number, idOf: (path: string) => string }} options `idOf`: the id in a path
 * @returns {Generator<Request & { wantsNextPage: boolean }>} `wantsNextPage`: whether the page after it is requested, too
 */
export function* crawlOf(lists, { round, idOf }) {
  let index = 0;
  for (const { path, sorts, filters } of lists) {
    for (let chosen = 0; chosen < 2 ** filters.length; chosen++) {
      for (const sort of sorts) {
        for (const order of ORDERS) {
          for (const position of ['start', 'offset', 'cursor']) {
            index++;
            const query = new URLSearchParams({
              sort,
              order,
              limit: String(1 + round * LIMITS_PER_ROUND + (index % LIMITS_PER_ROUND)),
            });
            filters.forEach((filter, bit) => {
              if ((chosen >> bit) & 1)
                query.set(filter.name, filterValue(filter, `round ${round} ${index} ${filter.name}`, index));
            });
            // Times in the wrong order are an error.
            if (query.has('from') && query.has('to') && query.get('from') > query.get('to')) {
              const from = query.get('to');
              query.set('to', query.get('from'));
              query.set('from', from);
            }
            if (position === 'start') query.set('include', 'total');
            if (position === 'offset') query.set('offset', String(1 + round * 1_000 + (index % 1_000)));
            yield {
              method: 'GET',
              path: `${path.replace('{id}', idOf(path))}?${query}`,
              wantsNextPage: position === 'cursor',
            };
          }
        }
      }
    }
  }
}

/** @returns {Request} */
export const graphqlRequest = (query) => ({
  method: 'POST',
  path: '/graphql',
  body: { query },
  isSigned: true,
});

/**
 * Returns one of the mixed requests: mostly pages of lists, and single records, unknown ids, unknown paths, GraphQL documents and
 * writes.
 *
 * @param {{ crawl: readonly Request[], round: number, index: number }} options
 * @returns {Request}
 */
export function mixedRequest({ crawl, round, index }) {
  const label = `r${round}x${index}`;
  const list = () => ({ method: 'GET', path: crawl[(index * 7_919) % crawl.length].path });
  switch (index % 10) {
    case 0:
      return { method: 'GET', path: `/v1/trades/${encodeId('trd', uuidOf(label))}` };
    case 1:
      return { method: 'GET', path: '/v1/me' };
    case 2:
      return {
        method: 'PUT',
        path: `/v1/settings/key-${label}`,
        body: { value: { label } },
        headers: { 'idempotency-key': label },
      };
    case 3:
      // Each document is new, so a cache of documents must not keep them.
      return graphqlRequest(`{ a${label}: me { id } b${label}: health { status } }`);
    case 4:
      return { method: 'GET', path: `/v1/unknown-${label}` };
    default:
      return list();
  }
}
