/** Funding and interest of accounts at the paper exchange, read and stored as a worker does. */
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import type { ExchangeCredentials, ExchangeVenue } from '@trading-automation/exchanges';
import { createVenue, venueConfig } from '@trading-automation/exchanges/ccxt';
import { eventually } from '@trading-automation/runtime/testing';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { PaperExchange } from '../testing/paper-exchange.js';
import type { ExchangeGateway } from './exchange-gateway.js';

const SYMBOL = 'BTC/USDT:USDT';

let env: GatewayUnderTest;
let paper: PaperExchange;
let gateway: ExchangeGateway;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  // A market maker takes the orders of the test.
  paper = await PaperExchange.start({ MARKET: 'on' });
  await env.reset();
  const venue = venueOf();
  await new PairCatalogue(env.core.platform).storeMarkets('paper', await venue.fetchMarkets());
  await venue.close();
});
afterEach(async () => {
  await gateway.close();
  await env.gateway.close();
  await paper.close();
});

const venueOf = (): ExchangeVenue =>
  createVenue(
    venueConfig.parse({
      id: 'paper',
      name: 'Paper',
      adapter: 'binance',
      tradingTypes: ['spot', 'margin', 'perpetual'],
      url: paper.url,
      timeoutMs: 10_000,
    }),
    {},
  );

async function admin(path: string, body: object): Promise<Record<string, string>> {
  const response = await fetch(`${paper.url}/admin/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Record<string, string>;
}

/** Opens an account at the exchange, gives it to the test's account, and returns a client of it. */
async function openAccount(tradingType: 'perpetual' | 'margin', balances: object) {
  const keys = await admin('accounts', balances);
  const credentials: ExchangeCredentials = { apiKey: keys.api_key!, apiSecret: keys.api_secret! };
  await env.setCredentials(credentials);
  await env.core.rows(
    'UPDATE exchange_accounts SET trading_type = $2 WHERE id = $1',
    env.account.uuid,
    tradingType,
  );
  const venue = venueOf();
  gateway = env.newGateway({ pollEveryMs: 3_600_000 }, venue);
  await gateway.renewOwnership();
  return venue.connect(credentials, tradingType);
}

/** Stores the position as the reconciliation of positions does. */
const storePosition = () =>
  env.core.rows(
    `INSERT INTO positions (id, user_id, exchange_account_id, symbol, side, amount)
     VALUES (gen_random_uuid(), $1, $2, $3, 'LONG', 0.1)`,
    env.actor.userId,
    env.account.uuid,
    SYMBOL,
  );

const order = { type: 'MARKET', timeInForce: 'IOC', amount: '0.1', reduceOnly: false } as const;

it('funding that the exchange paid is stored once, and read again after a connection', async () => {
  const client = await openAccount('perpetual', { futures_balances: { USDT: 100_000 } });
  await client.placeOrder({ ...order, symbol: SYMBOL, side: 'BUY', venueClientOrderId: 'open' });
  await admin('funding', { symbol: 'BTCUSDT', rate: '0.0001' });
  await gateway.accounts.readDueFunding();
  // Without a position or lots, the account costs no call.
  expect(await env.core.rows('SELECT FROM funding_payments')).toEqual([]);
  await storePosition();
  await gateway.accounts.readDueFunding();
  const [paid, ...others] = await client.positions!.fetchFunding(new Date(0));
  expect(others).toEqual([]);
  const stored = () =>
    env.core.rows(
      `SELECT f.venue_payment_id AS id, trim_scale(f.amount)::text AS amount, f.currency, f.paid_at AS at, p.symbol
       FROM funding_payments f JOIN trade_pairs p ON p.id = f.trade_pair_id WHERE f.exchange_account_id = $1
       ORDER BY f.paid_at`,
      env.account.uuid,
    );
  expect(await stored()).toEqual([
    { id: paid!.id, amount: paid!.amount, currency: 'USDT', at: paid!.paidAt, symbol: SYMBOL },
  ]);
  expect(Number(paid!.amount)).toBeLessThan(0);
  await admin('funding', { symbol: 'BTCUSDT', rate: '-0.0002' });
  await gateway.accounts.readDueFunding();
  expect(await stored()).toHaveLength(1);
  await env.core.rows("UPDATE funding_reads SET complete_until = complete_until - interval '10 minutes'");
  gateway.accounts.streams.addConnected(env.account.uuid);
  await gateway.accounts.readDueFunding();
  expect(await stored()).toHaveLength(2);
  const events = (await env.core.events(env.actor.userId)).filter(({ type }) => type === 'funding.paid');
  expect(events.map(({ data }) => Number(data.amount) > 0)).toEqual([false, true]);
});

it('funding that the stream reports is read at once, except shortly before a planned read', async () => {
  const client = await openAccount('perpetual', { futures_balances: { USDT: 100_000 } });
  const { streams } = gateway.accounts;
  const stored = async () =>
    (await env.core.rows('SELECT FROM funding_payments WHERE exchange_account_id = $1', env.account.uuid))
      .length;
  const planReadIn = (minutes: number) =>
    env.core.rows("UPDATE funding_reads SET due_at = clock_timestamp() + $1 * interval '1 minute'", minutes);
  await client.placeOrder({ ...order, symbol: SYMBOL, side: 'BUY', venueClientOrderId: 'open' });
  await storePosition();
  await gateway.accounts.readDueFunding();
  await planReadIn(4);
  let reports = 0;
  await new Promise<void>((resolve) => {
    client.watch({
      onConnected: resolve,
      onLost: () => {},
      onOrder: () => {},
      onBalances: () => {},
      onFunding: () => reports++,
    });
  });
  const fund = async () => {
    await admin('funding', { symbol: 'BTCUSDT', rate: '0.0001' });
    await eventually(() => reports > 0);
    reports = 0;
    streams.addFunded(env.account.uuid);
    await gateway.accounts.readDueFunding();
  };
  await fund();
  expect(await stored()).toBe(0);
  await planReadIn(6);
  await fund();
  expect(await stored()).toBe(2);
  await client.close();
});

it('interest that the exchange charged is stored once', async () => {
  const client = await openAccount('margin', { margin_balances: { USDT: 10_000 } });
  await client.placeOrder({
    ...order,
    symbol: 'BTC/USDT',
    side: 'SELL',
    venueClientOrderId: 'short',
    autoBorrow: true,
  });
  await admin('interest', {});
  await storePosition();
  await gateway.accounts.readDueFunding();
  const charges = await client.loans!.fetchInterest(new Date(0));
  expect(charges.length).toBeGreaterThan(0);
  const stored = await env.core.rows(
    `SELECT venue_charge_id AS id, asset, trim_scale(amount)::text AS amount FROM interest_charges
     WHERE exchange_account_id = $1 ORDER BY charged_at, venue_charge_id`,
    env.account.uuid,
  );
  expect(stored).toEqual(charges.map(({ id, asset, amount }) => ({ id, asset, amount })));
});

it('a read that fails completes nothing', async () => {
  await openAccount('perpetual', { futures_balances: { USDT: 100_000 } });
  await storePosition();
  await env.setCredentials({ apiKey: 'unknown', apiSecret: 'unknown' });
  await gateway.accounts.readDueFunding();
  expect(
    await env.core.row(
      'SELECT complete_until FROM funding_reads WHERE exchange_account_id = $1',
      env.account.uuid,
    ),
  ).toEqual({ complete_until: null });
});
