/**
 * What `rest.mjs` asks for, of the API and of its peer: the same thing of the same records, each in its own spelling.
 * That both give the same is looked at here.
 */
import { createRequestSigner } from '@trading-automation/signed-request';

export const LIMIT = 50;
const LIST = `/v1/trades?limit=${LIMIT}`;

/**
 * @typedef {import('./rest-data.mjs').User} User
 * @typedef {{ id: string, account: string, pair: string, clientOrderId: string }} SeenTrade with the ids of who showed it
 * @typedef {{
 *   name: string, url: string, authenticate: (user: User, request: import('./rest-load.mjs').Request) => object,
 *   spell: Spelling, seen: Map<User, readonly SeenTrade[]>,
 * }} Contestant
 * @typedef {{ path: (path: string, user: User) => string, order: (trade: SeenTrade) => object }} Spelling
 */

/** The order that is placed again and again. */
const ORDER = { type: 'LIMIT', side: 'BUY', price: '60000.01', amount: '0.00125' };

/** The published interface. */
const PUBLISHED = {
  path: (path) => path,
  order: ({ account, pair }) => ({ exchange_account_id: account, trade_pair_id: pair, ...ORDER }),
};

/** The baseline's: it receives the user's id and uses the database's ids. */
const BARE = {
  path: (path, { userId }) => `${path}${path.includes('?') ? '&' : '?'}user=${userId}`,
  order: ({ account, pair }) => ({ account, pair, ...ORDER }),
};

/** Those who are compared: the peer first, then the ways to ask the API. */
export function contestants({ apiUrl, bareUrl, users }) {
  const signers = new Map(users.map((user) => [user, createRequestSigner(user.privateKey)]));
  const sign = (user, { method, path, body }) => signers.get(user)({ method, path, body });
  return [
    { name: 'bare', url: bareUrl, spell: BARE, authenticate: () => ({}) },
    {
      name: 'API key',
      url: apiUrl,
      spell: PUBLISHED,
      authenticate: ({ apiKey }) => ({ 'x-api-key': apiKey }),
    },
    { name: 'signed', url: apiUrl, spell: PUBLISHED, authenticate: sign },
  ].map((contestant) => ({ ...contestant, seen: new Map() }));
}

/** One request each; `nth` lets them go through a user's trades. */
export const OPERATIONS = [
  { name: 'list', title: `GET ${LIST}`, request: () => ({ method: 'GET', path: LIST }) },
  {
    name: 'get',
    title: 'GET /v1/trades/:id',
    request: ({ seen }, user, nth) => ({
      method: 'GET',
      path: `/v1/trades/${seen.get(user)[nth % LIMIT].id}`,
    }),
  },
  {
    name: 'create',
    title: 'POST /v1/trades',
    request: ({ seen, spell }, user) => ({
      method: 'POST',
      path: '/v1/trades',
      body: JSON.stringify(spell.order(seen.get(user)[0])),
    }),
  },
];

/** The next request of a user as it goes out. */
export function requestOf(operation, contestant, user, nth) {
  const { method, path: asked, body } = operation.request(contestant, user, nth);
  const path = contestant.spell.path(asked, user);
  const headers = { ...contestant.authenticate(user, { method, path, body }) };
  if (body === undefined) return { method, path, headers };
  return { method, path, body, headers: { ...headers, 'content-type': 'application/json' } };
}

async function ask(operation, contestant, user, nth = 0) {
  const { path, ...request } = requestOf(operation, contestant, user, nth);
  const answer = await fetch(contestant.url + path, request);
  const { data } = await answer.json();
  if (data === undefined) throw new Error(`${contestant.name}, ${operation.name}: ${answer.status}`);
  return data;
}

/** Has every contestant see the users' trades. @throws where they differ */
export async function assertSameTrades(contestants, users) {
  const [list, get] = OPERATIONS;
  for (const user of users) {
    for (const contestant of contestants) {
      const trades = await ask(list, contestant, user);
      contestant.seen.set(
        user,
        trades.map(({ id, exchange_account_id, trade_pair_id, client_order_id }) => ({
          id,
          account: exchange_account_id,
          pair: trade_pair_id,
          clientOrderId: client_order_id,
        })),
      );
    }
    const shown = (contestant) =>
      contestant.seen
        .get(user)
        .map(({ clientOrderId }) => clientOrderId)
        .join();
    assertSame('trades', contestants.map(shown));
    const details = await Promise.all(contestants.map((contestant) => ask(get, contestant, user)));
    assertSame(
      'fills',
      details.map(({ fills }) => (fills ?? []).map(({ exchange_fill_id }) => exchange_fill_id).join()),
    );
  }
}

function assertSame(what, told) {
  if (told[0] === '' && what === 'trades') throw new Error('there are no trades to show');
  if (new Set(told).size !== 1) throw new Error(`the API and the bare peer show different ${what}`);
}
