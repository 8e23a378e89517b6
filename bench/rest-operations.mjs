/**
 * The operations that `rest.mjs` measures. API and baseline get equivalent requests for the same records, each in its own
 * format. `assertSameTrades` checks that both return the same trades.
 */
import { createRequestSigner } from '@trading-automation/signed-request';

export const LIMIT = 50;
const LIST = `/v1/trades?limit=${LIMIT}`;

/**
 * @typedef {import('./rest-data.mjs').User} User
 * @typedef {{ id: string, account: string, pair: string, clientOrderId: string }} ReturnedTrade with the ids that the contestant returned
 * @typedef {{
 *   name: string, url: string, authenticate: (user: User, request: import('./rest-load.mjs').Request) => object,
 *   format: RequestFormat, tradesByUser: Map<User, readonly ReturnedTrade[]>,
 * }} Contestant
 * @typedef {{ path: (path: string, user: User) => string, order: (trade: ReturnedTrade) => object }} RequestFormat
 */

/** The order that is placed repeatedly. */
const ORDER = { type: 'LIMIT', side: 'BUY', price: '60000.01', amount: '0.00125' };

/** The request format of the public API. */
const API_FORMAT = {
  path: (path) => path,
  order: ({ account, pair }) => ({ exchange_account_id: account, trade_pair_id: pair, ...ORDER }),
};

/** The request format of the baseline, which receives the user's id and uses the ids of the database. */
const BASELINE_FORMAT = {
  path: (path, { userId }) => `${path}${path.includes('?') ? '&' : '?'}user=${userId}`,
  order: ({ account, pair }) => ({ account, pair, ...ORDER }),
};

/** Returns the compared contestants: the baseline first, then the API with each kind of credential. */
export function contestants({ apiUrl, bareUrl, users }) {
  const signers = new Map(users.map((user) => [user, createRequestSigner(user.privateKey)]));
  const sign = (user, { method, path, body }) => signers.get(user)({ method, path, body });
  return [
    { name: 'bare', url: bareUrl, format: BASELINE_FORMAT, authenticate: () => ({}) },
    {
      name: 'API key',
      url: apiUrl,
      format: API_FORMAT,
      authenticate: ({ apiKey }) => ({ 'x-api-key': apiKey }),
    },
    { name: 'signed', url: apiUrl, format: API_FORMAT, authenticate: sign },
  ].map((contestant) => ({ ...contestant, tradesByUser: new Map() }));
}

/** Each operation builds one request; `index` selects one of the user's trades. */
export const OPERATIONS = [
  { name: 'list', title: `GET ${LIST}`, request: () => ({ method: 'GET', path: LIST }) },
  {
    name: 'get',
    title: 'GET /v1/trades/:id',
    request: ({ tradesByUser }, user, index) => ({
      method: 'GET',
      path: `/v1/trades/${tradesByUser.get(user)[index % LIMIT].id}`,
    }),
  },
  {
    name: 'create',
    title: 'POST /v1/trades',
    request: ({ tradesByUser, format }, user) => ({
      method: 'POST',
      path: '/v1/trades',
      body: JSON.stringify(format.order(tradesByUser.get(user)[0])),
    }),
  },
];

/** Builds a user's request in the format of the contestant. */
export function requestOf(operation, contestant, user, index) {
  const { method, path: operationPath, body } = operation.request(contestant, user, index);
  const path = contestant.format.path(operationPath, user);
  const headers = { ...contestant.authenticate(user, { method, path, body }) };
  if (body === undefined) return { method, path, headers };
  return { method, path, body, headers: { ...headers, 'content-type': 'application/json' } };
}

async function send(operation, contestant, user, index = 0) {
  const { path, ...request } = requestOf(operation, contestant, user, index);
  const response = await fetch(contestant.url + path, request);
  const { data } = await response.json();
  if (data === undefined) throw new Error(`${contestant.name}, ${operation.name}: ${response.status}`);
  return data;
}

/** Fetches the users' trades from every contestant, and keeps them in `tradesByUser`. @throws if they differ */
export async function assertSameTrades(contestants, users) {
  const [list, get] = OPERATIONS;
  for (const user of users) {
    for (const contestant of contestants) {
      const trades = await send(list, contestant, user);
      contestant.tradesByUser.set(
        user,
        trades.map(({ id, exchange_account_id, trade_pair_id, client_order_id }) => ({
          id,
          account: exchange_account_id,
          pair: trade_pair_id,
          clientOrderId: client_order_id,
        })),
      );
    }
    const idsOf = (contestant) =>
      contestant.tradesByUser
        .get(user)
        .map(({ clientOrderId }) => clientOrderId)
        .join();
    assertSame('trades', contestants.map(idsOf));
    const details = await Promise.all(contestants.map((contestant) => send(get, contestant, user)));
    assertSame(
      'fills',
      details.map(({ fills }) => (fills ?? []).map(({ exchange_fill_id }) => exchange_fill_id).join()),
    );
  }
}

function assertSame(what, results) {
  if (results[0] === '' && what === 'trades') throw new Error('the list contains no trades');
  if (new Set(results).size !== 1) throw new Error(`the API and the baseline return different ${what}`);
}
