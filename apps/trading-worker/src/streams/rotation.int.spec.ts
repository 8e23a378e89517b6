/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { randomUUID } from 'node:crypto';
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import type { ExchangeCredentials } from '@trading-automation/exchanges';
import { type BudgetedCall, type CallBudget, ExchangeError, purposeOf } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { DirectUser, PaperExchange } from '../testing/paper-exchange.js';
import { SUPERVISOR_TIMES, type SupervisorTimes } from './account-supervisor.js';

/** Records the calls of all accounts, and holds up those of one purpose on request. */
class RecordingBudget implements CallBudget {
  readonly calls: BudgetedCall[] = [];
  private refused:
    | { readonly purpose: string; readonly from: number; count: number; passed: number }
    | undefined;
  private held:
    | { readonly purpose: string; readonly from: number; readonly until: Promise<void> }
    | undefined;

  async take(call: BudgetedCall): Promise<void> {
    if (call.accountKey !== undefined) this.calls.push(call);
    const { held, refused } = this;
    if (purposeOf(call) === refused?.purpose && call.weight >= refused.from && refused.count > 0) {
      if (refused.passed-- > 0) return;
      refused.count--;
      throw new ExchangeError('retryable', 'rate_limited', 'no');
    }
    if (purposeOf(call) === held?.purpose && call.weight >= held.from) await held.until;
  }

  pause(): void {}

  /**
   * Refuses the next calls of a purpose and of at least this weight, as after a wait without a token. The first `passed`
   * calls are admitted.
   */
  refuse(purpose: string, count: number, from = 0, passed = 0): void {
    this.refused = { purpose, count, from, passed };
  }

  /** Holds up calls of at least this weight. Returns a function that releases them. */
  hold(purpose: string, from = 0): () => void {
    let release: () => void = () => undefined;
    this.held = { purpose, from, until: new Promise((resolve) => (release = resolve)) };
    return () => {
      this.held = undefined;
      release();
    };
  }

  /** Returns weight and purpose of the calls since the last call of this method. */
  spent(accountKey = env.account.uuid): string[] {
    const taken = this.calls.splice(0).filter((call) => call.accountKey === accountKey);
    return taken.map((call) => `${call.weight} ${purposeOf(call)}`);
  }
}

let env: GatewayUnderTest;
let paper: PaperExchange;
let keys: ExchangeCredentials;
let budget: RecordingBudget;
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
  budget = new RecordingBudget();
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

/** No rotation runs during a test, and doubts are followed at once. */
const QUIET: Partial<SupervisorTimes> = {
  backoff: { firstMs: 20, maxMs: 100, jitter: 0.5 },
  reconcileEveryMs: 3_600_000,
  doubtDelayMs: 20,
};

async function start(times: Partial<SupervisorTimes> = {}): Promise<ExchangeGateway> {
  const gateway = env.newGateway({ ...QUIET, ...times }, paper.venue(10_000, budget));
  workers.push(gateway);
  await gateway.renewOwnership();
  gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
  return gateway;
}
async function startLive(times: Partial<SupervisorTimes> = {}): Promise<ExchangeGateway> {
  const gateway = await start(times);
  await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
  return gateway;
}
/** Starts a worker whose comparison of the account's open orders waits for the call budget. */
async function startRepairing(): Promise<ExchangeGateway> {
  budget.hold('repair', 20);
  budget.spent();
  const gateway = await start();
  await eventually(() => budget.calls.some(({ weight }) => weight === 20));
  return gateway;
}
/** Makes a running copier of another user follow a strategy of the test's account. */
async function followAccount(): Promise<void> {
  const strategy = randomUUID();
  const follower = await env.core.account(await env.core.actor());
  await env.core.rows(
    `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
     VALUES ($1, $2, $3, 'led', 'PUBLIC', 'ACTIVE')`,
    strategy,
    env.actor.userId,
    env.account.uuid,
  );
  await env.core.rows(
    `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
       max_signal_age_ms, on_breach, below_minimum, copy_existing, started_at)
     SELECT $1, user_id, $2, id, 'copier', 'ACTIVE', 'MULTIPLIER', 1, 60000, 'CLOSE_ONLY', 'SKIP', false, now()
     FROM exchange_accounts WHERE id = $3`,
    randomUUID(),
    strategy,
    follower.uuid,
  );
  await env.core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', follower.uuid);
}

async function send(gateway: ExchangeGateway, more: Record<string, unknown> = {}): Promise<string> {
  const trade = await env.place({ price: '50000', amount: '0.5', ...more });
  gateway.orderSubmitter.wake([env.account.uuid]);
  await gateway.orderSubmitter.drain();
  return trade;
}
const externalTrades = async () => {
  const rows = await env.core.rows(
    "SELECT FROM trades WHERE exchange_account_id = $1 AND origin = 'EXTERNAL'",
    env.account.uuid,
  );
  return rows.length;
};
const stateOf = (gateway: ExchangeGateway) => gateway.accounts.streams.health()[0]?.state;

describe('an idle account with a live stream', () => {
  it('costs 22 weight when it connects and 20 in the rotation: less than 0.8 a minute over a day', async () => {
    const gateway = await startLive({ reconcileEveryMs: 400 });
    await eventually(() => budget.calls.length >= 5);
    await gateway.supervisors.stop();
    const [stream, connected, ...rotation] = budget.spent();
    expect([stream, connected]).toEqual(['2 resume', '20 rotation']);
    expect(rotation.length).toBeGreaterThan(2);
    expect(new Set(rotation)).toEqual(new Set(['20 rotation']));
    const day = 86_400_000;
    const rotationsPerDay = Math.ceil(day / (0.75 * SUPERVISOR_TIMES.reconcileEveryMs));
    const perMinute = (22 + rotationsPerDay * 20) / 1_440;
    expect(perMinute).toBeLessThanOrEqual(0.8);
  });

  it('costs nothing for its orders and balances between two reconciliations', async () => {
    const gateway = await startLive();
    const trade = await send(gateway);
    await other.limit('SELL', '0.5', '50000');
    await eventually(async () => (await env.read(trade)).status === 'FILLED');
    await gateway.balanceSync.drain();
    expect(budget.spent()).toEqual(['2 resume', '20 rotation', '1 user']);
  });
});

describe('a reconciliation', () => {
  it('reads open orders and the fills of a pair only where something is open or changed', async () => {
    const gateway = await startLive();
    const { streams } = gateway.accounts;
    await send(gateway);
    budget.spent();
    streams.reconcileSoon(env.account.uuid);
    await eventually(() => budget.calls.length >= 3);
    expect(budget.spent()).toEqual(['20 check', '80 check', '20 check']);
    await other.limit('SELL', '0.5', '50000');
    await eventually(async () => {
      const [lots] = await env.core.rows(
        'SELECT count(*)::int AS count FROM lots WHERE exchange_account_id = $1 AND open_amount > 0',
        env.account.uuid,
      );
      return lots?.count === 1;
    });
    // The pair changed since the last run; the run after it reads the pair once more; then nothing is left to read.
    for (const expected of [['20 check', '20 check'], ['20 check', '20 check'], ['20 check']]) {
      await eventually(() => stateOf(gateway) === 'LIVE');
      streams.reconcileSoon(env.account.uuid);
      await eventually(() => budget.calls.length >= expected.length);
      await env.core.rows('SELECT pg_sleep(0.2)');
      expect(budget.spent()).toEqual(expected);
    }
  });

  it('finds an order that the user left open at the exchange, because it locks a balance', async () => {
    await owner.limit('BUY', '0.1', '40000');
    await startLive();
    await eventually(async () => (await externalTrades()) === 1);
    expect(budget.spent()).toContain('80 rotation');
  });
});

describe('a doubt about an account with a live stream', () => {
  it('row 5: a report whose filled amount exceeds the reported fills leads to a reconciliation', async () => {
    const gateway = await startLive();
    const trade = await send(gateway);
    await paper.weather({ lose_event_rate: 1 });
    await other.limit('SELL', '0.2', '50000');
    await paper.weather({});
    await other.limit('SELL', '0.1', '50000');
    await eventually(async () => (await env.read(trade)).filled_amount === '0.3');
    expect((await env.read(trade)).fills).toHaveLength(2);
  });

  it('row 5: the end of an order that a check finds and the stream does not report replaces the stream', async () => {
    const gateway = await startLive({ fillTimeoutMs: 100 });
    const trade = await send(gateway);
    const { orders } = await paper.ledger(keys);
    await paper.weather({ lose_event_rate: 1 });
    await owner.client.cancelOrder({
      symbol: 'BTC/USDT',
      venueClientOrderId: orders[0]!.client_order_id,
    });
    await gateway.orderReconciler.checkTrade(trade);
    expect((await env.read(trade)).status).toBe('CANCELLED');
    await eventually(() => env.logged.join('').includes('did not report a known order in time'));
    await paper.weather({});
    await eventually(() => stateOf(gateway) === 'LIVE');
  });

  it('balances that differ from those that the stream reported lead to a reconciliation', async () => {
    const gateway = await startLive();
    await other.limit('SELL', '2', '2000', 'ETH/USDT');
    await paper.weather({ lose_event_rate: 1 });
    await owner.limit('BUY', '2', '2000', 'ETH/USDT');
    await paper.weather({});
    expect(await externalTrades()).toBe(0);
    await gateway.balanceSync.sync(env.account.uuid, 'user');
    await eventually(async () => (await externalTrades()) === 1);
  });

  it('a change that no fill explains leads to one more reconciliation', async () => {
    const gateway = await startLive({ recheckMs: 50 });
    await env.core.rows(
      `UPDATE reconciliations SET totals = '{"USDT": "1", "BTC": "10"}' WHERE exchange_account_id = $1`,
      env.account.uuid,
    );
    budget.spent();
    gateway.accounts.streams.reconcileSoon(env.account.uuid);
    await eventually(() => budget.calls.length >= 2);
    await env.core.rows('SELECT pg_sleep(0.5)');
    expect(budget.spent()).toEqual(['20 check', '20 check']);
  });

  it('is not lost while the account is being reconciled', async () => {
    const gateway = await startLive();
    const release = budget.hold('check');
    budget.spent();
    gateway.accounts.streams.reconcileSoon(env.account.uuid);
    await eventually(() => budget.calls.length === 1);
    gateway.accounts.streams.reconcileSoon(env.account.uuid);
    release();
    await eventually(() => budget.calls.length >= 2);
  });
});

describe('after a restart', () => {
  it('rule 22: an account with open orders is reconciled before its events are applied, the others in the rotation', async () => {
    const first = await startLive();
    await send(first);
    await first.close();
    await env.core.rows('DELETE FROM worker_leases');
    budget.spent();
    const release = budget.hold('repair');
    const second = await start();
    await eventually(() => budget.calls.length > 0);
    expect(stateOf(second)).not.toBe('UNVERIFIED');
    release();
    await eventually(() => second.accounts.streams.isLive(env.account.uuid));
    expect(budget.spent()).toEqual(['2 resume', '20 repair', '80 repair', '20 repair']);
  });

  it('orders that are sent while open orders are compared do not wait for the comparison, and cost no look-up', async () => {
    const first = await startLive();
    await send(first, { price: '40000' });
    await first.close();
    await env.core.rows('DELETE FROM worker_leases');
    const gateway = await startRepairing();
    budget.spent();
    await other.limit('SELL', '0.5', '50000');
    const trade = await send(gateway);
    await eventually(async () => (await env.read(trade)).status === 'FILLED');
    await gateway.balanceSync.drain();
    expect([stateOf(gateway), budget.spent()]).toEqual(['REPAIRING', ['1 user']]);
  });

  it('an account whose only open order was not sent is not searched for open orders', async () => {
    const gateway = env.newGateway(QUIET, paper.venue(10_000, budget));
    workers.push(gateway);
    gateway.orderSubmitter.halt();
    await env.place({ price: '40000' });
    await gateway.renewOwnership();
    gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
    await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
    expect(budget.spent()).toEqual(['2 resume', '20 rotation']);
  });

  it('an account is compared after the copies that a dead worker sent were looked up', async () => {
    const first = await startLive();
    const copy = await send(first, { price: '40000' });
    await first.close();
    await env.core.rows('DELETE FROM worker_leases');
    // The worker died before it read the response.
    await env.core.rows(
      "UPDATE trades SET acknowledged_at = NULL, resend_until = clock_timestamp() + interval '1 minute' WHERE id = $1",
      copy,
    );
    await owner.client.cancelOrder({
      symbol: 'BTC/USDT',
      venueClientOrderId: (await paper.ledger(keys)).orders[0]!.client_order_id,
    });
    budget.spent();
    const release = budget.hold('resume', 4);
    await start();
    await eventually(() => budget.calls.length === 2);
    release();
    await eventually(() => workers.at(-1)!.accounts.streams.isLive(env.account.uuid));
    expect(budget.spent().toSorted()).toEqual(['2 resume', '20 rotation', '4 resume']);
  });

  it.each([
    ['an account with open orders is compared again on the same stream if a comparison fails', false],
    ['an account that copiers follow does not wait long until it is compared again', true],
  ])('%s', async (_, isFollowed) => {
    const first = await startLive();
    const trade = await send(first);
    if (isFollowed) await followAccount();
    await first.close();
    await env.core.rows('DELETE FROM worker_leases');
    await other.limit('SELL', '0.5', '50000');
    budget.spent();
    budget.refuse('repair', 3, 20);
    const [short, long] = [
      { firstMs: 20, maxMs: 20 },
      { firstMs: 3_600_000, maxMs: 3_600_000 },
    ];
    const gateway = await start(
      isFollowed ? { backoff: long, followedBackoff: short } : { backoff: short, followedBackoff: long },
    );
    await eventually(
      () => {
        expect(gateway.accounts.streams.isLive(env.account.uuid)).toBe(true);
        return true;
      },
      { timeoutMs: 15_000 },
    );
    expect((await env.read(trade)).status).toBe('FILLED');
    expect(budget.spent().filter((call) => call === '2 resume')).toHaveLength(1);
  });

  it('the balances of an account that copiers follow are stored, although the fills of its comparison find no budget', async () => {
    const first = await startLive();
    await followAccount();
    await first.close();
    await env.core.rows('DELETE FROM worker_leases');
    await other.limit('SELL', '0.5', '50000');
    await owner.limit('BUY', '0.5', '50000');
    await env.core.rows("UPDATE exchange_accounts SET balances_taken_at = now() - interval '1 hour'");
    budget.refuse('repair', Number.POSITIVE_INFINITY, 20, 1);
    const gateway = await start();
    const isRecent = `SELECT balances_taken_at > now() - interval '1 minute' AS "isRecent", balances->'BTC' AS btc
      FROM exchange_accounts WHERE id = $1`;
    await eventually(
      async () => {
        expect(await env.core.row(isRecent, env.account.uuid)).toMatchObject({ isRecent: true });
        return true;
      },
      { timeoutMs: 15_000 },
    );
    expect(gateway.accounts.streams.isLive(env.account.uuid)).toBe(false);
    expect(await env.core.row(isRecent, env.account.uuid)).toMatchObject({ btc: { free: '10.4995' } });
  });

  it('the stream of an account that is not compared yet must report what is known of orders sent since, not of earlier ones', async () => {
    const earlier = await owner.limit('BUY', '0.5', '40000');
    const release = budget.hold('rotation');
    const gateway = await start({ fillTimeoutMs: 200 });
    await eventually(() => stateOf(gateway) === 'UNVERIFIED');
    const { streams } = gateway.accounts;
    const logged = () => env.logged.join('');
    streams.expectOrder(env.account.uuid, { ...earlier, status: 'EXPIRED' });
    await env.core.rows('SELECT pg_sleep(0.5)');
    expect(stateOf(gateway)).toBe('UNVERIFIED');
    expect(logged()).not.toContain('in time');
    await send(gateway, { price: '40000' });
    const sent = (await paper.ledger(keys)).orders.find(
      ({ client_order_id: id }) => id !== earlier.venueClientOrderId,
    )!;
    streams.expectOrder(env.account.uuid, {
      ...earlier,
      venueClientOrderId: sent.client_order_id,
      status: 'EXPIRED',
    });
    await eventually(() => logged().includes('did not report a known order in time'));
    release();
  });

  it('an account that finds no budget in the rotation is compared later, without a warning', async () => {
    budget.refuse('rotation', 2);
    await startLive();
    expect(budget.spent()).toEqual(['2 resume', '20 rotation', '20 rotation', '20 rotation']);
    const logged = env.logged.filter((line) => line.includes(env.account.uuid));
    expect(logged.join('')).not.toContain('account_stream.failed');
  });

  it('the events of an account that waits for the rotation are applied, and its orders cost no look-up', async () => {
    const release = budget.hold('rotation');
    const gateway = await start();
    await eventually(() => stateOf(gateway) === 'UNVERIFIED');
    const trade = await send(gateway);
    await other.limit('SELL', '0.5', '50000');
    await eventually(async () => (await env.read(trade)).status === 'FILLED');
    expect(gateway.accounts.streams.isLive(env.account.uuid)).toBe(false);
    // No balance sync is due either, however old the balances are.
    await env.core.rows(
      'UPDATE exchange_accounts SET sync_requested_at = NULL, sync_served_at = NULL WHERE id = $1',
      env.account.uuid,
    );
    expect(await gateway.accounts.dueForSync(1, 10)).toEqual([]);
    expect(budget.spent()).toEqual(['2 resume', '20 rotation', '1 user']);
    release();
    await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
  });
});
