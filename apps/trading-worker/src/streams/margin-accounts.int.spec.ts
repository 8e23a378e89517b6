/** Balances, loans and interest of margin accounts at the paper exchange, read and compared as a worker does. */
import { createHmac } from 'node:crypto';
import { type ExchangeAccount, encodeId } from '@trading-automation/contracts';
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { Reconciliation } from '@trading-automation/core/trades';
import type { ExchangeCredentials, ExchangeVenue, OrderRequest } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { PaperExchange } from '../testing/paper-exchange.js';
import { AccountReconciler } from './account-reconciler.js';
import { ReconcileActions } from './reconcile-actions.js';

let env: GatewayUnderTest;
let paper: PaperExchange;
let venue: ExchangeVenue;
let keys: ExchangeCredentials;
let maker: ExchangeCredentials;
let gateway: ExchangeGateway;
let orders = 0;

beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  paper = await PaperExchange.start();
  await env.reset();
  venue = paper.venue(10_000, undefined, ['spot', 'margin']);
  await new PairCatalogue(env.core.platform).storeMarkets('paper', await venue.fetchMarkets());
  await env.core.rows('UPDATE trade_pairs SET last_price = 60000');
  maker = await paper.openAccount({ USDT: 1_000_000, BTC: 10 });
  keys = await paper.openMarginAccount({ USDT: 10_000 });
  await env.core.rows("UPDATE exchange_accounts SET trading_type = 'margin' WHERE id = $1", env.account.uuid);
  await env.setCredentials(keys);
  gateway = env.newGateway({ pollEveryMs: 3_600_000 }, venue);
  await gateway.renewOwnership();
  await makerTrades('SELL', '0.1');
  // What an account may borrow depends on the last price.
  await place(await paper.openAccount({ USDT: 10_000 }), 'spot', { side: 'BUY', amount: '0.1' });
});
afterEach(async () => {
  await gateway.close();
  await env.gateway.close();
  await paper.close();
});

type Order = Pick<OrderRequest, 'side' | 'amount'> & Partial<OrderRequest>;

async function place(credentials: ExchangeCredentials, type: 'spot' | 'margin', order: Order): Promise<void> {
  orders++;
  await venue.connect(credentials, type).placeOrder({
    symbol: 'BTC/USDT',
    venueClientOrderId: `direct-${orders}`,
    type: 'LIMIT',
    timeInForce: 'GTC',
    price: '60000',
    reduceOnly: false,
    ...order,
  });
}
/** Offers an amount at 60,000. */
const makerTrades = (side: 'BUY' | 'SELL', amount: string) => place(maker, 'spot', { side, amount });

/** Sells what the exchange lends, at the exchange itself. */
async function sellShort(amount: string): Promise<void> {
  await makerTrades('BUY', amount);
  await place(keys, 'margin', { side: 'SELL', amount, autoBorrow: true });
}
async function buy(amount: string, more: Partial<OrderRequest> = {}): Promise<void> {
  await makerTrades('SELL', amount);
  await place(keys, 'margin', { side: 'BUY', amount, ...more });
}

/** Sends a signed request of the account's user, as a client of the exchange does. */
async function post(path: string, params: Record<string, string>): Promise<void> {
  const query = new URLSearchParams({ ...params, timestamp: String(Date.now()) }).toString();
  const signature = createHmac('sha256', keys.apiSecret).update(query).digest('hex');
  const response = await fetch(`${paper.url}${path}?${query}&signature=${signature}`, {
    method: 'POST',
    headers: { 'x-mbx-apikey': keys.apiKey },
  });
  if (!response.ok) throw new Error(await response.text());
}
const repay = (amount: string) =>
  post('/sapi/v1/margin/borrow-repay', { asset: 'BTC', amount, type: 'REPAY', isIsolated: 'FALSE' });
const transfer = (type: 'MAIN_MARGIN' | 'MARGIN_MAIN', amount: string) =>
  post('/sapi/v1/asset/transfer', { type, asset: 'BTC', amount });

/** Compares the account once, as the rotation does. Returns whether the exchange and the lots do not agree yet. */
async function compare(): Promise<boolean> {
  const { accounts, orders: accountOrders } = gateway;
  const reconciler = new AccountReconciler(
    new Reconciliation(env.core.platform),
    accounts.balances,
    new PairCatalogue(env.core.platform),
    new ReconcileActions(accountOrders.reconciler, accounts.positions, accounts.funding, env.logger),
  );
  const account = gateway.ownership.ownedAccounts().get(env.account.uuid)!;
  const { client } = await accounts.clients.openOwned(account);
  return (await reconciler.run(account, client.as('rotation'), [])).isDoubtful;
}
/** Compares until every difference that lasts for 20 s is a trade. */
async function compareForLong(): Promise<void> {
  for (let run = 0; run < 3; run++) {
    await compare();
    await env.core.rows("UPDATE reconciliations SET suspected_at = suspected_at - interval '20 seconds'");
  }
}

const trades = async () =>
  (
    await env.core.rows(
      `SELECT origin || ' ' || side || ' ' || trim_scale(filled_amount) AS trade FROM trades
       WHERE exchange_account_id = $1 ORDER BY created_at, id`,
      env.account.uuid,
    )
  ).map(({ trade }) => trade);
const lots = async () =>
  (
    await env.core.rows(
      `SELECT side || ' ' || trim_scale(open_amount) AS lot FROM lots
       WHERE exchange_account_id = $1 AND open_amount > 0 ORDER BY opened_at, id`,
      env.account.uuid,
    )
  ).map(({ lot }) => lot);
async function detail(): Promise<ExchangeAccount['balance_detail']> {
  const events = await env.core.events(env.actor.userId);
  const synced = events.findLast(({ type }) => type === 'exchange.synced');
  return (synced!.data as unknown as ExchangeAccount).balance_detail;
}

describe('the balances of a margin account', () => {
  it('have what is borrowed and the interest, once they were read', async () => {
    await sellShort('0.1');
    await gateway.balanceSync.sync(env.account.uuid);
    expect(await detail()).toMatchObject({
      // The exchange charges the first hour at once.
      BTC: { total: 0, free: 0, used: 0, borrowed: 0.1, interest: 0.000001 },
      USDT: { total: 15994, free: 15994, used: 0, borrowed: 0, interest: 0 },
    });
    await paper.chargeInterest();
    await place(keys, 'margin', { side: 'BUY', amount: '0.01', price: '50000' });
    await gateway.balanceSync.sync(env.account.uuid);
    const { BTC, USDT } = await detail();
    expect([BTC, USDT]).toMatchObject([
      { borrowed: 0.1, interest: 0.000002 },
      { total: 15994, free: 15494, used: 500 },
    ]);
  });
});

describe('the loans of a margin account with a stream', () => {
  it('are read after an order that borrows, because no stream reports them', async () => {
    gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
    await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
    const pair = await env.core.row(
      "SELECT id FROM trade_pairs WHERE symbol = 'BTC/USDT' AND trading_type = 'margin'",
    );
    await makerTrades('BUY', '0.1');
    await env.place({
      trade_pair_id: encodeId('tpr', String(pair.id)),
      side: 'SELL',
      amount: '0.1',
      price: '60000',
      auto_borrow: true,
    });
    await env.send(gateway);
    const borrowed = async () =>
      (
        await env.core.row(
          "SELECT loans -> 'BTC' ->> 'borrowed' AS borrowed FROM exchange_accounts WHERE id = $1",
          env.account.uuid,
        )
      ).borrowed;
    await eventually(async () => (await borrowed()) === '0.1');
    expect(gateway.accounts.streams.isReporting(env.account.uuid)).toBe(true);
  });
});

describe('a comparison of a margin account', () => {
  it('finds a short of another client by the loan, although the balance of the asset did not change', async () => {
    await compare();
    await sellShort('0.1');
    await compare();
    expect([await trades(), await lots()]).toEqual([['EXTERNAL SELL 0.1'], ['SELL 0.1']]);
    await compareForLong();
    expect(await trades()).toHaveLength(1);
  });

  it('rule 23: makes no trade of interest, while it accrues or when a closing order pays it', async () => {
    await sellShort('0.1');
    await compare();
    await paper.chargeInterest();
    await compareForLong();
    expect(await trades()).toEqual(['EXTERNAL SELL 0.1']);
    await buy('0.2', { autoRepay: true });
    await compareForLong();
    expect(await trades()).toEqual(['EXTERNAL SELL 0.1', 'EXTERNAL BUY 0.2']);
    // A fee of 0.0002 was paid in base. The lot has what is left, and the account less, by the interest.
    expect(await lots()).toEqual(['BUY 0.0998']);
    const { BTC } = (await venue.connect(keys, 'margin').fetchBalances()).balances;
    expect(Number(BTC?.free)).toBeLessThan(0.0998);
    expect(await env.core.rows('SELECT FROM interest_charges')).not.toEqual([]);
  });

  it("rule 23: makes no trade of a user's own repayment, and keeps the short lot", async () => {
    await sellShort('0.1');
    await compare();
    await paper.deposit(keys, 'BTC', '0.2');
    await transfer('MAIN_MARGIN', '0.2');
    await compareForLong();
    await repay('0.100001');
    expect(await venue.connect(keys, 'margin').loans!.fetchLoans()).toEqual({});
    await compareForLong();
    expect([await trades(), await lots()]).toEqual([['EXTERNAL SELL 0.1'], ['SELL 0.1']]);
  });

  it('rule 23: writes off base that left the account, as on spot, and no more than the long lots', async () => {
    await buy('0.1');
    await compare();
    expect(await lots()).toEqual(['BUY 0.0999']);
    await transfer('MARGIN_MAIN', '0.0499');
    expect(await compare()).toBe(true);
    await compareForLong();
    expect(await trades()).toEqual(['EXTERNAL BUY 0.1', 'RECONCILIATION SELL 0.0499']);
    expect(await lots()).toEqual(['BUY 0.05']);
  });
});

it('interest that the exchange charged belongs to the short lot', async () => {
  await sellShort('0.1');
  await compare();
  await paper.chargeInterest();
  await gateway.accounts.readDueFunding();
  const booked = await env.core.rows(
    `SELECT l.side, f.amount < 0 AS is_paid, f.amount = -c.value AS is_whole FROM interest_charges c
     JOIN lot_funding f ON f.source_id = c.id JOIN lots l ON l.id = f.lot_id WHERE c.exchange_account_id = $1
     ORDER BY c.charged_at, c.id`,
    env.account.uuid,
  );
  const charges = await venue.connect(keys, 'margin').loans!.fetchInterest(new Date(0));
  expect(charges.length).toBeGreaterThan(0);
  expect(booked).toContainEqual({ side: 'SELL', is_paid: true, is_whole: true });
});
