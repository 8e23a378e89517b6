import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { errorCodeOf } from './error-code.mjs';

/**
 * What a client must do on futures, with the values that it must return. The price of the contract is 60,000, its best bid
 * 59,994 and its best ask 60,006. Each check leaves the account without orders and without a position.
 *
 * @typedef {import('./futures-client.mjs').FuturesClient} FuturesClient
 */

const ASK = 60_006;
const BID = 59_994;
const TAKER_FEE = 0.0005;

let orderCount = 0;
/** Returns a client order id that no other order has. */
const newId = () => `order-${++orderCount}`;
/** Rounds what binary floating point adds to an amount in units of 10^-8. */
const rounded = (/** @type {number} */ amount) => Number(amount.toFixed(8));

/**
 * Runs a step with a long position, and closes the position.
 *
 * @param {FuturesClient} client
 * @param {number} quantity
 * @param {(orderId: string) => Promise<void>} step
 */
async function withPosition(client, quantity, step) {
  const id = newId();
  await client.placeMarket({ id, side: 'BUY', quantity });
  try {
    await step(id);
  } finally {
    await client.placeMarket({ id: newId(), side: 'SELL', quantity, reduceOnly: true });
  }
}

/** Places an order that rests in the book. @param {FuturesClient} client */
async function placeResting(client) {
  const id = newId();
  await client.placeLimit({ id, side: 'BUY', quantity: 0.01, price: 50_000 });
  return id;
}

/**
 * The events of each watched account, oldest first: `<id> <status>` of an order, or the amount of the position.
 *
 * @type {WeakMap<FuturesClient, { readonly events: (string | number)[], readonly changes: EventEmitter }>}
 */
const accounts = new WeakMap();

/**
 * Watches the account of a client, with one stream for all checks. Returns a function that waits for an event after those
 * that it has returned already.
 *
 * @param {FuturesClient} client
 */
async function watch(client) {
  const account = accounts.get(client) ?? { events: [], changes: new EventEmitter() };
  const { events, changes } = account;
  if (!accounts.has(client)) {
    accounts.set(client, account);
    const add = (/** @type {string | number} */ event) => {
      events.push(event);
      changes.emit('event');
    };
    await client.watchAccount({ onOrder: (id, status) => add(`${id} ${status}`), onPosition: add });
  }
  let next = events.length;
  return async (/** @type {string | number} */ event) => {
    while (!events.includes(event, next)) await once(changes, 'event');
    next = events.indexOf(event, next) + 1;
  };
}

/**
 * Checks the venue's code of a refusal, and the class of the error if the client translates codes.
 *
 * @param {FuturesClient} client
 * @param {Promise<unknown>} call
 * @param {number} code
 */
async function assertRefused({ errorNames }, call, code) {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  assert.ok(error, 'the call succeeded');
  assert.equal(errorCodeOf(error), code);
  if (errorNames !== undefined) assert.equal(error.constructor.name, errorNames[code]);
}

/** The checks by their names in the table. @type {Readonly<Record<string, (client: FuturesClient) => Promise<void>>>} */
export const FUTURES_CHECKS = {
  'markets and rules': async (client) => {
    assert.deepEqual(await client.rules(), { priceTick: 0.1, amountStep: 0.001, minNotional: 50 });
  },
  balance: async (client) => {
    const before = await client.balance();
    await withPosition(client, 0.1, async () => undefined);
    const lost = 0.1 * (ASK - BID + (ASK + BID) * TAKER_FEE);
    assert.equal(rounded(before - (await client.balance())), rounded(lost));
  },
  'leverage: set': async (client) => {
    assert.equal(await client.setLeverage(7), 7);
    assert.equal(await client.setLeverage(20), 20);
  },
  'market order': async (client) => {
    await withPosition(client, 0.01, async (id) => assert.equal(await client.statusOf(id), 'FILLED'));
  },
  'limit order': async (client) => {
    const id = await placeResting(client);
    assert.equal(await client.statusOf(id), 'NEW');
    await client.cancel(id);
  },
  cancel: async (client) => {
    const id = await placeResting(client);
    await client.cancel(id);
    assert.equal(await client.statusOf(id), 'CANCELED');
  },
  'open orders': async (client) => {
    const ids = [await placeResting(client), await placeResting(client)];
    assert.deepEqual([...(await client.openOrders())].sort(), ids.sort());
    for (const id of ids) await client.cancel(id);
    assert.deepEqual(await client.openOrders(), []);
  },
  fills: async (client) => {
    const before = (await client.fills()).length;
    await withPosition(client, 0.002, async () => {
      const fee = rounded(ASK * 0.002 * TAKER_FEE);
      assert.deepEqual((await client.fills()).slice(before), [{ price: ASK, quantity: 0.002, fee }]);
    });
  },
  position: async (client) => {
    await withPosition(client, 0.003, async () => {
      assert.deepEqual(await client.position(), { amount: 0.003, entryPrice: ASK });
    });
    assert.equal((await client.position()).amount, 0);
  },
  'funding rate and mark price': async (client) => {
    assert.deepEqual(await client.marks(), { markPrice: 60_000, fundingRate: 0.0001 });
  },
  'user stream: orders': async (client) => {
    const hears = await watch(client);
    const id = await placeResting(client);
    await hears(`${id} NEW`);
    await client.cancel(id);
    await hears(`${id} CANCELED`);
    await withPosition(client, 0.001, (filled) => hears(`${filled} FILLED`));
  },
  'user stream: account': async (client) => {
    const hears = await watch(client);
    await withPosition(client, 0.004, () => hears(0.004));
    await hears(0);
  },
  'stream: last price': async (client) => {
    await withPosition(client, 0.001, async () => assert.equal(await client.watchLastPrice(), ASK));
  },
  'stream: mark price': async (client) => {
    assert.equal(await client.watchMarkPrice(), 60_000);
  },
  'reduce-only: refused': async (client) => {
    const order = client.placeMarket({ id: newId(), side: 'SELL', quantity: 0.01, reduceOnly: true });
    await assertRefused(client, order, -2022);
    assert.equal((await client.position()).amount, 0);
  },
  'errors: codes': async (client) => {
    await assertRefused(client, client.placeMarket({ id: newId(), side: 'BUY', quantity: 7 }), -2019);
    await assertRefused(client, client.statusOf('never-placed'), -2013);
    await assertRefused(client, client.cancel('never-placed'), -2011);
  },
};
