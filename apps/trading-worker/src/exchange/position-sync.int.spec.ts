import { encodeId, type Position } from '@trading-automation/contracts';
import { serveWorkerCalls } from '@trading-automation/core/exchange-accounts';
import { PositionsService } from '@trading-automation/core/positions';
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import type { ExchangeCredentials, ExchangeVenue, OrderRequest } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { PaperExchange } from '../testing/paper-exchange.js';
import type { ExchangeGateway } from './exchange-gateway.js';
import { toLeverageError } from './to-domain-error.js';

const SYMBOL = 'BTC/USDT:USDT';

let env: GatewayUnderTest;
let paper: PaperExchange;
let venue: ExchangeVenue;
let keys: ExchangeCredentials;
let workers: ExchangeGateway[];
let orders = 0;

beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  paper = await PaperExchange.start();
  workers = [];
  await env.reset();
  venue = paper.venue(10_000, undefined, ['perpetual']);
  await new PairCatalogue(env.core.platform).storeMarkets('paper', await venue.fetchMarkets());
  keys = await paper.openFuturesAccount(10_000);
  await env.core.rows(
    `UPDATE exchange_accounts SET trading_type = 'perpetual' WHERE id = $1`,
    env.account.uuid,
  );
  await env.setCredentials(keys);
  await paper.moveTo(SYMBOL, '60000');
});
afterEach(async () => {
  for (const gateway of workers) await gateway.close();
  await env.gateway.close();
  await paper.close();
});

/** Starts a worker that claims accounts and streams them; no schedule runs. */
async function startGateway(): Promise<ExchangeGateway> {
  const times = { backoff: { firstMs: 20, maxMs: 100, jitter: 0.5 }, reconcileEveryMs: 3_600_000 };
  const gateway = env.newGateway(times, paper.venue(10_000, undefined, ['perpetual']));
  workers.push(gateway);
  await gateway.renewOwnership();
  gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
  await eventually(() => gateway.accounts.streams.isLive(env.account.uuid));
  return gateway;
}

/** Places an order at the exchange directly, as the account's user may. */
async function trade(side: 'BUY' | 'SELL', amount: string, more: Partial<OrderRequest> = {}): Promise<void> {
  orders++;
  await venue.connect(keys, 'perpetual').placeOrder({
    symbol: SYMBOL,
    venueClientOrderId: `direct-${orders}`,
    type: 'MARKET',
    side,
    timeInForce: 'IOC',
    amount,
    reduceOnly: false,
    ...more,
  });
}

const service = () => new PositionsService(env.core.platform, env.core.lists);
async function open(): Promise<readonly Position[]> {
  const query = { limit: 20, sort: 'created_at', order: 'desc', include: [] } as never;
  return (await service().list(env.actor, query)).items;
}
async function events(): Promise<readonly (readonly [string, unknown, string])[]> {
  const all = await env.core.events(env.actor.userId);
  return all
    .filter(({ type }) => type.startsWith('position.'))
    .map(({ type, data }) => [type.slice('position.'.length), data.side, String(data.amount)] as const);
}

describe('the positions of an account at the paper exchange', () => {
  it('are read when the stream connects, with margin and leverage', async () => {
    await trade('BUY', '0.2');
    await startGateway();
    await eventually(async () => (await open()).length === 1);
    const [position] = await open();
    expect(position).toMatchObject({
      symbol: SYMBOL,
      side: 'LONG',
      amount: '0.2',
      mark_price: '60000',
      leverage: '20',
      margin_mode: 'CROSS',
      is_supported: true,
    });
    expect(Number(position?.margin_ratio)).toBeGreaterThan(100);
    expect(Number(position?.max_leverage)).toBeGreaterThan(20);
    expect(await events()).toEqual([['opened', 'LONG', '0.2']]);
  });

  it('follow the stream, through a change, a flip and a close', async () => {
    await startGateway();
    await trade('BUY', '0.2');
    await eventually(async () => (await events()).length === 1);
    await trade('BUY', '0.1');
    await eventually(async () => (await events()).length === 2);
    await trade('SELL', '0.5');
    await eventually(async () => (await events()).length === 4);
    await trade('BUY', '0.2');
    await eventually(async () => (await open()).length === 0);
    expect(await events()).toEqual([
      ['opened', 'LONG', '0.2'],
      ['changed', 'LONG', '0.3'],
      ['closed', 'LONG', '0'],
      ['opened', 'SHORT', '0.2'],
      ['closed', 'SHORT', '0'],
    ]);
  });

  it('that a stream opened are read soon, because the stream has no mark price', async () => {
    await startGateway();
    await trade('BUY', '0.2');
    await eventually(async () => (await open())[0]?.mark_price === '60000');
    expect((await open())[0]?.margin_ratio).toBeDefined();
    await eventually(async () => (await open())[0]?.max_leverage === '125');
  });

  it('that were closed while no worker ran are closed when the stream connects', async () => {
    await trade('BUY', '0.2');
    const gateway = await startGateway();
    await eventually(async () => (await open()).length === 1);
    await gateway.close();
    workers = [];
    await trade('SELL', '0.2');
    await env.core.rows('DELETE FROM worker_leases');
    await startGateway();
    await eventually(async () => (await open()).length === 0);
    expect((await events()).at(-1)).toEqual(['closed', 'LONG', '0']);
  });
});

describe('the margin watch', () => {
  it('updates mark price, result and margin, without an event of the position', async () => {
    const gateway = await startGateway();
    await trade('BUY', '0.2');
    await eventually(async () => (await open())[0]?.mark_price === '60000');
    const [before] = await open();
    await paper.moveTo(SYMBOL, '61000');
    await gateway.accounts.positions.watch(env.account.uuid);
    const [after] = await open();
    expect(after).toMatchObject({ mark_price: '61000', amount: '0.2' });
    expect(Number(after?.unrealized_pnl) - Number(before?.unrealized_pnl)).toBeCloseTo(200, 6);
    expect(await events()).toEqual([['opened', 'LONG', '0.2']]);
  });

  it('sends one margin call when the margin becomes low', async () => {
    const gateway = await startGateway();
    await venue.connect(keys, 'perpetual').positions!.setLeverage(SYMBOL, { leverage: '100' });
    await trade('BUY', '3');
    await eventually(async () => (await open())[0]?.mark_price === '60000');
    const { positions } = gateway.accounts;
    for (const price of ['56990', '56985', '56980']) {
      await paper.moveTo(SYMBOL, price);
      await positions.watch(env.account.uuid);
    }
    const [position] = await open();
    expect(Number(position?.margin_ratio)).toBeLessThan(1.25);
    expect((await events()).filter(([type]) => type === 'margin_call')).toEqual([
      ['margin_call', 'LONG', '3'],
    ]);
  });

  it('reads the margin again when the mark price has moved it near the maintenance margin, and not before', async () => {
    const gateway = await startGateway();
    const { accounts } = gateway;
    expect(await accounts.dueForMargin()).toEqual([]);
    await venue.connect(keys, 'perpetual').positions!.setLeverage(SYMBOL, { leverage: '100' });
    await trade('BUY', '3');
    await eventually(async () => (await open())[0]?.mark_price === '60000');
    await accounts.positions.watch(env.account.uuid);
    expect(await accounts.dueForMargin()).toEqual([]);
    await paper.moveTo(SYMBOL, '59900');
    expect(await accounts.dueForMargin()).toEqual([]);
    expect(await open()).toMatchObject([{ mark_price: '59900' }]);
    await paper.moveTo(SYMBOL, '57100');
    expect(await accounts.dueForMargin()).toEqual([env.account.uuid]);
  });
});

describe('the leverage of an account', () => {
  async function pairId(): Promise<string> {
    const row = await env.core.row(
      "SELECT id FROM trade_pairs WHERE exchange = 'paper' AND symbol = $1 AND trading_type = 'perpetual'",
      SYMBOL,
    );
    return encodeId('tpr', String(row.id));
  }

  /** Sets the leverage as an API does, while the worker serves its call. */
  async function set(
    gateway: ExchangeGateway,
    update: { leverage: string; margin_mode?: 'CROSS' | 'ISOLATED' },
  ) {
    const serving = serveWorkerCalls(
      await env.core.openSecondPlatform(),
      {
        'position.set_leverage': ({ account_id, symbol, leverage, margin_mode }) =>
          gateway.accounts.positions
            .setLeverage(account_id, symbol, { leverage, marginMode: margin_mode })
            .catch((error) => {
              throw toLeverageError(error);
            }),
      },
      () => undefined,
    );
    try {
      return await service().setLeverage(env.actor, env.account.id, {
        trade_pair_id: await pairId(),
        ...update,
      });
    } finally {
      await serving.stop();
    }
  }

  it('is set at the exchange and stored', async () => {
    const gateway = await startGateway();
    expect(await set(gateway, { leverage: '7', margin_mode: 'ISOLATED' })).toMatchObject({
      symbol: SYMBOL,
      leverage: '7',
      margin_mode: 'ISOLATED',
    });
    const client = venue.connect(keys, 'perpetual').positions!;
    expect(await client.fetchLeverage(SYMBOL)).toMatchObject({ leverage: '7', marginMode: 'ISOLATED' });
    await trade('BUY', '0.2');
    await eventually(async () => (await open())[0]?.margin_ratio !== undefined);
    expect((await open())[0]).toMatchObject({ leverage: '7', margin_mode: 'ISOLATED' });
  });

  it('has the account reconciled, because the margins in its balances follow the leverage', async () => {
    const gateway = await startGateway();
    const reconciledAt = async () =>
      (
        await env.core.row(
          'SELECT max(reconciled_at) AS at FROM reconciliations WHERE exchange_account_id = $1',
          env.account.uuid,
        )
      ).at;
    await eventually(async () => (await reconciledAt()) !== null);
    const before = Number(await reconciledAt());
    await set(gateway, { leverage: '7' });
    await eventually(async () => Number(await reconciledAt()) > before);
  });

  it('above the limit of the exchange is a violation of its rules, with the field', async () => {
    const gateway = await startGateway();
    await expect(set(gateway, { leverage: '1000' })).rejects.toMatchObject({
      code: 'exchange_rule_violated',
      details: [{ field: 'leverage', code: 'max_leverage', rule: 'max_leverage', value: '1000' }],
    });
  });

  it('keeps the margin mode of an open position', async () => {
    const gateway = await startGateway();
    await trade('BUY', '0.2');
    await eventually(async () => (await open()).length === 1);
    await expect(set(gateway, { leverage: '5', margin_mode: 'ISOLATED' })).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });
});
