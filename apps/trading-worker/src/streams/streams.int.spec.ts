/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import type { ExchangeCredentials } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { DirectUser, PaperExchange } from '../testing/paper-exchange.js';
import type { SupervisorTimes } from './account-supervisor.js';

let env: GatewayUnderTest;
let paper: PaperExchange;
let keys: ExchangeCredentials;
let workers: ExchangeGateway[];
/** The owner of the account, who trades at the exchange directly. */
let owner: DirectUser;
/** Another user of the exchange, with a sufficient balance of everything. */
let other: DirectUser;

beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  paper = await PaperExchange.start();
  workers = [];
  await env.reset();
  const venue = paper.venue();
  await new PairCatalogue(env.core.platform).storeMarkets('paper', await venue.fetchMarkets());
  keys = await paper.openAccount({ USDT: 100_000, BTC: 10 });
  await env.setCredentials(keys);
  owner = new DirectUser(venue.connect(keys, 'spot'), 'owner');
  const rich = await paper.openAccount({ USDT: 10_000_000, BTC: 1_000, ETH: 1_000 });
  other = new DirectUser(venue.connect(rich, 'spot'), 'other');
});
afterEach(async () => {
  for (const gateway of workers) await gateway.close();
  await env.gateway.close();
  await paper.close();
});

/** With these times, no scheduled reconciliation runs during a test, so only the stream reports changes. */
const QUIET: Partial<SupervisorTimes> = {
  backoff: { firstMs: 20, maxMs: 100, jitter: 0.5 },
  reconcileEveryMs: 3_600_000,
};

/** Starts a worker that claims accounts and streams them; no schedule runs. */
async function startGateway(
  times: Partial<SupervisorTimes> = QUIET,
  timeoutMs?: number,
): Promise<ExchangeGateway> {
  const gateway = env.newGateway({ ...QUIET, ...times }, paper.venue(timeoutMs));
  workers.push(gateway);
  await gateway.renewOwnership();
  gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
  await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
  return gateway;
}
async function sendNew(gateway: ExchangeGateway, more: Record<string, unknown> = {}): Promise<string> {
  const trade = await env.place({ price: '50000', amount: '0.5', ...more });
  gateway.orderSubmitter.wake([env.account.uuid]);
  await gateway.orderSubmitter.drain();
  return trade;
}
const statusOf = async (trade: string) => (await env.read(trade)).status;
const tradesOf = (origin: string) =>
  env.core.rows(
    `SELECT symbol, side, status, trim_scale(filled_amount)::text AS filled FROM trades
     WHERE exchange_account_id = $1 AND origin = $2 ORDER BY created_at, id`,
    env.account.uuid,
    origin,
  );
const hasLogged = (text: string) => env.logged.join('').includes(text);

describe('an account with a live stream', () => {
  it('has its fills stored when the stream reports them, without a poll', async () => {
    const gateway = await startGateway();
    const trade = await sendNew(gateway);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    await other.limit('SELL', '0.2', '50000');
    await eventually(async () => (await statusOf(trade)) === 'PARTIALLY_FILLED');
    await other.limit('SELL', '0.3', '50000');
    await eventually(async () => (await statusOf(trade)) === 'FILLED');
    expect(await env.read(trade)).toMatchObject({ filled_amount: '0.5', cost: '25000' });
    expect((await env.read(trade)).fills).toHaveLength(2);
  });

  it('rule 23: has EXTERNAL trades for the orders that its user places at the exchange directly', async () => {
    await startGateway();
    await owner.limit('BUY', '0.1', '40000');
    await eventually(async () => (await tradesOf('EXTERNAL')).length === 1);
    await other.limit('SELL', '0.1', '40000');
    await eventually(async () => (await tradesOf('EXTERNAL'))[0]?.status === 'FILLED');
    expect(await tradesOf('EXTERNAL')).toEqual([
      { symbol: 'BTC/USDT', side: 'BUY', status: 'FILLED', filled: '0.1' },
    ]);
  });

  it('row 5: matches the exchange, however often and in whatever order events arrive', async () => {
    const gateway = await startGateway();
    await paper.weather({ duplicate_event_rate: 0.5, reorder_event_rate: 0.5, partial_fill_rate: 1 });
    const trades: string[] = [];
    for (let i = 0; i < 8; i++) {
      trades.push(await sendNew(gateway, { amount: '0.05' }));
      await other.limit('SELL', '0.05', '50000');
    }
    await paper.weather({});
    await eventually(async () => {
      const statuses = await Promise.all(trades.map(statusOf));
      return statuses.every((status) => status === 'FILLED');
    });
    const { fills } = await paper.ledger(keys);
    const stored = await env.core.rows(
      'SELECT exchange_fill_id FROM fills WHERE exchange_account_id = $1 ORDER BY exchange_fill_id::bigint',
      env.account.uuid,
    );
    expect(stored.map(({ exchange_fill_id }) => exchange_fill_id)).toEqual(
      fills.map(({ fill_id }) => fill_id).sort((a, b) => Number(a) - Number(b)),
    );
    const events = await env.eventTypes('trade');
    expect(events.filter((type) => type === 'trade.filled')).toHaveLength(trades.length);
  });

  it('row 9: can spend the proceeds of an order immediately, but not the amounts that open orders reserve', async () => {
    const gateway = await startGateway();
    await gateway.balanceSync.sync(env.account.uuid);
    await other.limit('BUY', '2', '50000');
    const sold = await sendNew(gateway, { side: 'SELL', amount: '2' });
    await eventually(async () => (await statusOf(sold)) === 'FILLED');
    const readBefore = await env.core.row(
      'SELECT balances_taken_at FROM exchange_accounts WHERE id = $1',
      env.account.uuid,
    );
    // 100,000 and the proceeds of the sale, less its fee.
    await eventually(async () => {
      const { balances } = await env.core.row(
        'SELECT balances FROM exchange_accounts WHERE id = $1',
        env.account.uuid,
      );
      return (balances as Record<string, { free: string }>).USDT?.free === '199900';
    });
    expect(
      await env.core.row('SELECT balances_taken_at FROM exchange_accounts WHERE id = $1', env.account.uuid),
    ).toEqual(readBefore);
    await sendNew(gateway, { amount: '3' });
    await expect(sendNew(gateway, { amount: '3' })).rejects.toMatchObject({ code: 'insufficient_balance' });
  });

  it('is read with its new credentials after they change, and is no longer read after it is deleted', async () => {
    const gateway = await startGateway();
    const next = await paper.openAccount({ USDT: 5 });
    await env.setCredentials(next);
    await gateway.renewOwnership();
    gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
    await eventually(async () => {
      await gateway.balanceSync.sync(env.account.uuid);
      const { balances } = await env.core.row(
        'SELECT balances FROM exchange_accounts WHERE id = $1',
        env.account.uuid,
      );
      return (balances as Record<string, { free: string }>).USDT?.free === '5';
    });
    await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
    await env.core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      env.account.uuid,
    );
    await gateway.renewOwnership();
    gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
    expect(gateway.accounts.streams.health()).toEqual([]);
  });
});

describe('events that a stream missed', () => {
  it('row 4: while the connection was lost are applied when it is restored', async () => {
    const gateway = await startGateway();
    const trade = await sendNew(gateway);
    await paper.weather({ lose_event_rate: 1 });
    await other.limit('SELL', '0.5', '50000');
    await owner.limit('BUY', '0.1', '40000');
    expect(await statusOf(trade)).toBe('PENDING');
    await paper.weather({});
    await paper.cutStreams();
    await eventually(async () => (await statusOf(trade)) === 'FILLED');
    await eventually(async () => (await tradesOf('EXTERNAL')).length === 1);
    await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
    expect(hasLogged('"state":"LOST"')).toBe(true);
  });

  it('row 3, rule 22: while no worker was running are applied at the start, also on a pair that was never traded here', async () => {
    await env.gateway.close();
    const first = await startGateway();
    await first.balanceSync.sync(env.account.uuid);
    const trade = await sendNew(first);
    await first.close();
    await env.core.rows('DELETE FROM worker_leases');
    await other.limit('SELL', '0.5', '50000');
    await other.limit('SELL', '2', '2000', 'ETH/USDT');
    await owner.limit('BUY', '2', '2000', 'ETH/USDT');
    await startGateway();
    expect(await statusOf(trade)).toBe('FILLED');
    expect(await tradesOf('EXTERNAL')).toEqual([
      { symbol: 'ETH/USDT', side: 'BUY', status: 'FILLED', filled: '2' },
    ]);
  });

  it('row 3, rule 22: on a new pair are applied even if the balances were read since', async () => {
    const first = await startGateway();
    await first.close();
    await env.core.rows('DELETE FROM worker_leases');
    await other.limit('SELL', '2', '2000', 'ETH/USDT');
    await owner.limit('BUY', '2', '2000', 'ETH/USDT');
    await env.newGateway(QUIET, paper.venue()).balanceSync.sync(env.account.uuid);
    await startGateway();
    expect(await tradesOf('EXTERNAL')).toEqual([
      { symbol: 'ETH/USDT', side: 'BUY', status: 'FILLED', filled: '2' },
    ]);
  });

  it('row 5: because the stream silently stopped are found by the reconciliation, and the stream is replaced', async () => {
    const gateway = await startGateway({ reconcileEveryMs: 200, fillTimeoutMs: 100 });
    const trade = await sendNew(gateway);
    await paper.weather({ lose_event_rate: 1 });
    await other.limit('SELL', '0.5', '50000');
    await eventually(async () => (await statusOf(trade)) === 'FILLED');
    await eventually(() => hasLogged('The account stream did not report a known fill in time.'));
    await paper.weather({});
    await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
    const next = await sendNew(gateway, { amount: '0.1' });
    await other.limit('SELL', '0.1', '50000');
    await eventually(async () => (await statusOf(next)) === 'FILLED');
  });

  it('row 10: are never missed silently: the account reports a lost stream until the stream is live again', async () => {
    const gateway = await startGateway();
    await paper.weather({ maintenance: true });
    await eventually(() => gateway.accounts.streams.health()[0]?.state === 'LOST');
    expect(
      hasLogged('The account stream was lost, or the account could not be reconciled; trying again.'),
    ).toBe(true);
    await paper.weather({});
    await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
  });
});

describe('row 6: an account of an exchange without a stream', () => {
  it('is polled, and its fills are stored', async () => {
    const gateway = env.newGateway({ ...QUIET, pollEveryMs: 50 });
    workers.push(gateway);
    await gateway.renewOwnership();
    gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
    await eventually(() => gateway.accounts.streams.health()[0]?.state === 'POLLING');
    const trade = await sendNew(gateway);
    env.exchange.fill(env.exchange.last, '50000');
    await eventually(async () => (await statusOf(trade)) === 'FILLED');
  });
});

describe('row 1: an order without a response', () => {
  it('is found by the stream, and exists once at the exchange', async () => {
    const gateway = await startGateway({}, 400);
    await paper.weather({ drop_answer_rate: 1 });
    const trade = await sendNew(gateway);
    await paper.weather({});
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    await other.limit('SELL', '0.5', '50000');
    await eventually(async () => (await statusOf(trade)) === 'FILLED');
    expect((await paper.ledger(keys)).orders).toHaveLength(1);
  });
});

describe('an account whose worker was killed', () => {
  it('is claimed, streamed and traded by another worker after the lease has expired, and nothing is sent twice', async () => {
    const dead = await startGateway();
    const trade = await sendNew(dead);
    await env.core.rows('UPDATE worker_leases SET expires_at = clock_timestamp()');
    const next = await startGateway();
    await other.limit('SELL', '0.5', '50000');
    await eventually(async () => (await statusOf(trade)) === 'FILLED');
    const laterTrade = await env.place({ price: '50000', amount: '0.1' });
    dead.orderSubmitter.wake([env.account.uuid]);
    await dead.orderSubmitter.drain();
    expect(await env.read(laterTrade)).toMatchObject({ status: 'PENDING' });
    next.orderSubmitter.wake([env.account.uuid]);
    await next.orderSubmitter.drain();
    expect(await env.read(laterTrade)).toMatchObject({ sub_status: 'ACCEPTED' });
    expect((await paper.ledger(keys)).orders).toHaveLength(2);
  });
});
