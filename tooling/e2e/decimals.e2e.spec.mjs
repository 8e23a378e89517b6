import fc from 'fast-check';
import pg from 'pg';
import { createClient } from '../launch/first-trade/client.mjs';
import { openRawRequests } from '../launch/first-trade/raw-requests.mjs';
import { Client } from '../launch/sdk.mjs';
import { openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** @type {import('./product.mjs').Product} */
let product;
let trader;
/** Clients of the SDK that read decimals as numbers (the default) and as strings. */
let numberClient;
let stringClient;
/** Sends a raw body: JSON.stringify writes at most 17 digits of a number. */
let send;
beforeAll(async () => {
  product = await startProduct();
  trader = await openTrader(product, 'decimals: trader');
  const { key: apiKey } = await trader.api.apiKeys.create({ name: 'decimals' });
  numberClient = createClient({ restUrl: product.restUrl, apiKey });
  stringClient = new Client({ baseURL: product.restUrl, apiKey, decimals: 'string' });
  send = openRawRequests({ restUrl: product.restUrl, apiKey });
  // The paper exchange has coarser steps, so it rejects the orders. The test checks only what the product stores.
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  await database.query(
    "UPDATE trade_pairs SET amount_step = 1e-18, price_tick = 1e-18, min_amount = 1e-18, min_notional = 0 WHERE symbol = 'BTC/USDT'",
  );
  await database.end();
}, 120_000);
afterAll(() => product?.stop());

/** An integer with at most this number of digits. */
const integerOf = (digits) => fc.bigInt({ min: 1n, max: 10n ** BigInt(digits) - 1n });
/**
 * A decimal with 18 places. `plain` is sent as a JSON string, `number` and `exponent` as JSON numbers; `canonical` is
 * its form in responses.
 */
const decimal = integerOf(19).map((value) => {
  const text = value.toString().padStart(19, '0');
  const plain = `${text.slice(0, -18)}.${text.slice(-18)}`;
  return { plain, number: plain, canonical: plain.replace(/\.?0+$/, ''), exponent: `${value}e-18` };
});
const fieldOf = (text, name) => new RegExp(`"${name}":"?([0-9.eE+-]+)`).exec(text)?.[1];

/** Places a trade with its decimals in the given form, and returns the response body as a string. */
async function place(amount, price, form) {
  const ids = { exchange_account_id: trader.account.id, trade_pair_id: trader.pair.id };
  const order = { ...ids, type: 'LIMIT', side: 'BUY' };
  if (form === 'plain') {
    const created = numberClient.trades.create({ ...order, price: price.plain, amount: amount.plain });
    return await (await created.asResponse()).text();
  }
  const rest = JSON.stringify(order).slice(1, -1);
  const body = `{${rest},"price":${price[form]},"amount":${amount[form]}}`;
  const created = await send('POST', '/v1/trades', { body });
  expect(created).toMatchObject({ status: 201 });
  return created.text;
}

describe('the amounts of a trade', () => {
  it('are exact to 18 decimals from the request body through Postgres to the response', async () => {
    await fc.assert(
      fc.asyncProperty(
        decimal,
        decimal,
        fc.constantFrom('plain', 'number', 'exponent'),
        async (amount, price, form) => {
          const created = await place(amount, price, form);
          const { id } = JSON.parse(created).data;
          const read = await (await numberClient.trades.get(id).asResponse()).text();
          for (const text of [created, read]) {
            expect(fieldOf(text, 'amount')).toBe(amount.canonical);
            expect(fieldOf(text, 'price')).toBe(price.canonical);
          }
          const asText = { amount: amount.canonical, price: price.canonical };
          expect(await stringClient.trades.get(id)).toMatchObject(asText);
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);
});
