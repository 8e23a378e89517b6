import type { RecordIds } from '@trading-automation/core/testing';
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { Reconciliation } from '@trading-automation/core/trades';
import { ExchangeError, type VenueFill, type VenueOrder } from '@trading-automation/exchanges';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { AccountReconciler } from './account-reconciler.js';
import { ReconcileActions } from './reconcile-actions.js';

const DELISTED = 'OLD/USDT';

let env: GatewayUnderTest;
let pair: RecordIds;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
  pair = await env.core.pair({ base: 'OLD' });
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  await listAgain();
  // Without changed balances, only the pairs of open orders are read.
  env.exchange.openOrdersLockBalances = true;
  env.exchange.balances = { USDT: { free: '99000', locked: '1000' } };
  await env.gateway.renewOwnership();
  await reconcile();
});
afterEach(() => env.gateway.close());

async function reconcile() {
  const { accounts, orders, ownership } = env.gateway;
  const reconciler = new AccountReconciler(
    new Reconciliation(env.core.platform),
    accounts.balances,
    new PairCatalogue(env.core.platform),
    new ReconcileActions(orders.reconciler, accounts.positions, accounts.funding, env.logger),
  );
  const account = ownership.ownedAccounts().get(env.account.uuid)!;
  const { client } = await accounts.clients.openOwned(account);
  return reconciler.run(account, client.as('rotation'));
}

/** Marks the pair as delisted `minutes` ago, as the catalogue does. */
const markDelisted = (minutes: number) =>
  env.core.rows(
    `UPDATE trade_pairs SET is_active = false, inactive_reason = 'DELISTED',
       updated_at = clock_timestamp() - $2 * interval '1 minute' WHERE id = $1`,
    pair.uuid,
    minutes,
  );

/** Places an order on the pair, which the exchange accepts. Its submission is no longer in flight. */
async function placeOnPair(): Promise<string> {
  const trade = await env.place({ trade_pair_id: pair.id, amount: '2' });
  await env.send();
  await env.backdateSubmission(trade, 60_000);
  return trade;
}

/** Marks the pair as listed, as the catalogue does. */
const listAgain = () =>
  env.core.rows(
    'UPDATE trade_pairs SET is_active = true, inactive_reason = NULL, updated_at = clock_timestamp() WHERE id = $1',
    pair.uuid,
  );

/** A fill of a quarter of the order. */
const quarterOf = (order: VenueOrder, executedAt = new Date()): VenueFill => ({
  exchangeFillId: 'fill-1',
  exchangeOrderId: order.exchangeOrderId,
  symbol: DELISTED,
  side: 'BUY',
  price: '100',
  amount: '0.5',
  fee: { amount: '0', currency: 'USDT' },
  liquidity: 'TAKER',
  executedAt,
});

/** Stores that a quarter of the trade's order was filled. */
const fillQuarter = (trade: string, order: VenueOrder) =>
  env.execution.storeOrder(trade, { ...order, filledAmount: '0.5' }, [quarterOf(order)]);

/** Creates a trade whose order was sent, and which the exchange never confirmed. */
async function placeUnconfirmed(): Promise<string> {
  env.exchange.onPlace = async () => {
    throw new ExchangeError('unknown', 'no_answer', 'The exchange did not respond in time.');
  };
  const trade = await placeOnPair();
  expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
  return trade;
}

it('an external order of a pair that the exchange does not list is left alone', async () => {
  await placeOnPair();
  const unlisted = {
    ...env.exchange.last,
    symbol: 'XYZUSDT',
    exchangeOrderId: 'external',
    venueClientOrderId: 'bot',
    filledAmount: '1',
  };
  env.exchange.delist(unlisted.symbol);
  env.exchange.fetchOpenOrders = async () => [unlisted];
  await reconcile();
  expect(
    await env.core.rows(
      "SELECT FROM trades WHERE exchange_account_id = $1 AND origin = 'EXTERNAL'",
      env.account.uuid,
    ),
  ).toEqual([]);
});

describe('an open trade of a delisted pair', () => {
  it('ends as CANCELLED with its filled part, and its account is reconciled', async () => {
    const ended = await placeOnPair();
    await fillQuarter(ended, env.exchange.last);
    const other = await env.place();
    await env.send();
    env.exchange.fill(env.exchange.last);
    env.exchange.delist(DELISTED);
    await markDelisted(61);
    expect((await reconcile()).fills).toHaveLength(1);
    expect(await env.read(other)).toMatchObject({ status: 'FILLED' });
    expect(await env.read(ended)).toMatchObject({
      status: 'CANCELLED',
      cancel_reason: 'EXCHANGE',
      filled_amount: '0.5',
      failure: { code: 'pair_delisted' },
    });
    const lots = await env.core.rows(
      'SELECT trim_scale(open_amount)::text AS amount FROM lots WHERE trade_id = $1',
      ended,
    );
    expect(lots).toEqual([{ amount: '0.5' }]);
    expect(await env.eventTypes('trade')).toContain('trade.cancelled');
  });

  it('ends as FAILED if the exchange never confirmed its order', async () => {
    const trade = await placeUnconfirmed();
    env.exchange.delist(DELISTED);
    await markDelisted(61);
    await reconcile();
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED', failure: { code: 'pair_delisted' } });
  });

  it('stays open for an hour, because one list of markets may be incomplete', async () => {
    const trade = await placeOnPair();
    env.exchange.delist(DELISTED);
    await markDelisted(59);
    await reconcile();
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
  });

  it.each([DELISTED, 'OLDUSDT'])(
    'stays open while the exchange reports its order, as one of %s',
    async (symbol) => {
      const trade = await placeOnPair();
      const order = env.exchange.last;
      await env.core.rows("UPDATE trades SET origin = 'EXTERNAL' WHERE id = $1", trade);
      env.exchange.delist(DELISTED);
      env.exchange.delisted.add('OLDUSDT');
      const { reduceOnly, isExit, ...terms } = env.exchange.placed.at(-1)!;
      const reported = env.exchange.accept({ ...terms, symbol, reduceOnly, isExit });
      expect(reported.exchangeOrderId).toBe(order.exchangeOrderId);
      await markDelisted(61);
      await reconcile();
      expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    },
  );

  it('ends if the look-up returns an order of a market that the client does not know', async () => {
    const trade = await placeOnPair();
    env.exchange.delist(DELISTED);
    env.exchange.onCall = (name) => {
      if (name === 'findOrder') throw new ExchangeError('retryable', 'bad_answer', 'Cannot be parsed.');
    };
    await markDelisted(59);
    await reconcile();
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    await markDelisted(61);
    await reconcile();
    expect(await env.read(trade)).toMatchObject({
      status: 'CANCELLED',
      failure: { code: 'pair_delisted' },
    });
  });

  it.each(['CANCELLED', 'FAILED'])(
    'that ended as %s has its order cancelled if the pair returns after weeks, and keeps the fills of the time between',
    async (status) => {
      const trade = status === 'CANCELLED' ? await placeOnPair() : await placeUnconfirmed();
      env.exchange.delist(DELISTED);
      await markDelisted(61);
      await reconcile();
      expect(await env.read(trade)).toMatchObject({ status });
      await env.core.rows(
        `UPDATE trades SET created_at = created_at - interval '40 days', submitted_at = submitted_at - interval '40 days',
           updated_at = updated_at - interval '40 days' WHERE id = $1`,
        trade,
      );
      env.exchange.delisted.delete(DELISTED);
      await listAgain();
      const order = env.exchange.accept(env.exchange.placed.at(-1)!);
      env.exchange.fetchOpenOrders = async () => [{ ...order, filledAmount: '0.5' }];
      env.exchange.fetchFills = async () => [quarterOf(order, new Date('2026-01-01T00:00:00Z'))];
      await reconcile();
      expect(env.exchange.cancelled).toEqual([order.venueClientOrderId]);
      expect(await env.read(trade)).toMatchObject({ status, filled_amount: '0.5' });
      expect(
        await env.core.rows('SELECT FROM trades WHERE exchange_account_id = $1', env.account.uuid),
      ).toHaveLength(1);
    },
  );

  it('that has ended does not stop the reconciliation while the exchange reports its order', async () => {
    const trade = await placeOnPair();
    const order = env.exchange.last;
    env.exchange.delist(DELISTED);
    await markDelisted(61);
    await reconcile();
    env.exchange.fetchOpenOrders = async () => [{ ...order, filledAmount: '0.5' }];
    await expect(reconcile()).resolves.toMatchObject({ fills: [] });
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED' });
    expect(env.exchange.cancelled).toEqual([]);
  });

  it('stays open if the exchange does not respond to the look-up, and its account is reconciled', async () => {
    const trade = await placeOnPair();
    env.exchange.delist(DELISTED);
    await markDelisted(61);
    env.exchange.onCall = (name) => {
      if (name === 'findOrder') throw new ExchangeError('retryable', 'no_answer', 'No response.');
    };
    await reconcile();
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
  });

  it('is left to the reconciliation by scheduled checks', async () => {
    const trades = [await placeOnPair(), await placeOnPair()];
    env.exchange.delist(DELISTED);
    await markDelisted(61);
    const errors: unknown[] = [];
    const { orders, orderReconciler } = env.gateway;
    const changed = await orders.resting.filterChanged(trades, (error) => errors.push(error));
    expect(changed.toSorted()).toEqual(trades.toSorted());
    for (const trade of trades) await orderReconciler.checkTrade(trade);
    expect(errors).toEqual([]);
  });

  it('is left to the reconciliation by the next owner of the account, which looks its other orders up', async () => {
    const unconfirmed = await placeUnconfirmed();
    env.exchange.delist(DELISTED);
    await markDelisted(61);
    await env.gateway.close();
    await env.core.rows('DELETE FROM worker_leases');
    env.logged.length = 0;
    env.gateway = env.newGateway();
    await env.gateway.renewOwnership();
    await env.gateway.orders.takeover.drain();
    expect(env.logged.join('')).not.toContain('not_supported');
    expect(await env.read(unconfirmed)).toMatchObject({ status: 'PENDING' });
  });
});
