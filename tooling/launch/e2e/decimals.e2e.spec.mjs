import fc from 'fast-check';
import pg from 'pg';
import { openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** @type {import('./product.mjs').Product} */
let product;
let trader;
let key;
beforeAll(async () => {
  product = await startProduct();
  trader = await openTrader(product, 'decimals: trader');
  ({ key } = await trader.api.post('/v1/api-keys', { name: 'decimals' }));
  // No exchange has steps this fine, and the worker's orders will be refused by it. What is shown is what the product
  // itself keeps.
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  await database.query(
    "UPDATE trade_pairs SET amount_step = 1e-18, price_tick = 1e-18, min_amount = 1e-18, min_notional = 0 WHERE symbol = 'BTC/USDT'",
  );
  await database.end();
}, 120_000);
afterAll(() => product?.stop());

const units = (digits) => fc.bigInt({ min: 1n, max: 10n ** BigInt(digits) - 1n });
/** A decimal of 18 places in plain notation, and the canonical form of it. */
const decimal = units(19).map((value) => {
  const text = value.toString().padStart(19, '0');
  const plain = `${text.slice(0, -18)}.${text.slice(-18)}`;
  return { plain, canonical: plain.replace(/\.?0+$/, ''), exponent: `${value}e-18` };
});
const fieldOf = (text, name) => new RegExp(`"${name}":"?([0-9.eE+-]+)`).exec(text)?.[1];

async function request(method, path, body, accept = 'application/json') {
  const headers = { 'content-type': 'application/json', 'x-api-key': key, accept };
  const answer = await fetch(product.restUrl + path, { method, headers, ...(body && { body }) });
  return { status: answer.status, text: await answer.text() };
}

describe('the amounts of a trade', () => {
  it('are exact to 18 decimals from the body through Postgres to the answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        decimal,
        decimal,
        fc.constantFrom('number', 'string', 'exponent'),
        async (amount, price, form) => {
          const write = (value) =>
            ({ number: value.plain, string: JSON.stringify(value.plain), exponent: value.exponent })[form];
          const ids = `"exchange_account_id":"${trader.account.id}","trade_pair_id":"${trader.pair.id}"`;
          const body = `{${ids},"type":"LIMIT","side":"BUY","price":${write(price)},"amount":${write(amount)}}`;
          const created = await request('POST', '/v1/trades', body);
          expect(created).toMatchObject({ status: 201 });
          const id = JSON.parse(created.text).data.id;
          const read = await request('GET', `/v1/trades/${id}`);
          const asText = await request(
            'GET',
            `/v1/trades/${id}`,
            undefined,
            'application/json; decimals=string',
          );
          for (const { text } of [created, read, asText]) {
            expect(fieldOf(text, 'amount')).toBe(amount.canonical);
            expect(fieldOf(text, 'price')).toBe(price.canonical);
          }
          expect(JSON.parse(asText.text).data).toMatchObject({
            amount: amount.canonical,
            price: price.canonical,
          });
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);
});
