/**
 * Records the calls of one account at a venue, as a worker makes them: its connection, reconciliations, and scheduled
 * reads. `bench/accounts.mjs --tariff` runs it; `npm test` does not. The scripted exchange plays the venue.
 */
import { appendFileSync } from 'node:fs';
import type { TradingType } from '@trading-automation/contracts';
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { Reconciliation } from '@trading-automation/core/trades';
import {
  accountWeightOf,
  type BudgetedCall,
  type ExchangeCredentials,
  type ExchangeVenue,
  purposeOf,
} from '@trading-automation/exchanges';
import { createVenue, limitsByBudget, venueConfig } from '@trading-automation/exchanges/ccxt';
import { eventually } from '@trading-automation/runtime/testing';
import { GROUP_SHARE } from '../budgets/shares.js';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { AccountReconciler } from '../streams/account-reconciler.js';
import { ReconcileActions } from '../streams/reconcile-actions.js';
import { GatewayUnderTest } from './gateway-under-test.js';

/** What this run uses of the scripted exchange, which is a part of the tests of another package. */
interface ScriptedVenue {
  readonly url: string;
  readonly problems: readonly string[];
  readonly exchange: {
    readonly markets: readonly { readonly symbol: string; readonly base: string; readonly quote: string }[];
    openAccount(balances: Readonly<Record<string, number>>): ExchangeCredentials;
  };
  close(): Promise<void>;
}
interface DeclaredVenue {
  readonly tradingTypes: Readonly<
    Partial<Record<TradingType, { accountStream?: { keepAlive?: { everyMs: number } } }>>
  >;
}

const { TARIFF_VENUES = '', TARIFF_OUTPUT = '' } = process.env;
const ofExchanges = (path: string) =>
  import(new URL(`../../../../packages/exchanges/${path}`, import.meta.url).pathname);
const { declarationOf } = (await ofExchanges('src/venues/index.ts')) as {
  declarationOf(id: string): DeclaredVenue;
};
const { ScriptedServer } = await ofExchanges('conformance/scripted/scripted-server.ts');
const { readRecordings } = await ofExchanges('conformance/scripted/recordings.ts');

const CASES = TARIFF_VENUES.split(',').flatMap((id) =>
  Object.keys(declarationOf(id).tradingTypes).map((type) => [id, type as TradingType] as const),
);
/** How long no call may follow before a step counts as complete. */
const QUIET_MS = 300;
/** Much longer than a step takes, so that no other reconciliation runs in it. */
const times = { reconcileEveryMs: 3_600_000, doubtDelayMs: 20, recheckMs: 3_600_000 };

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());

it.each(CASES)('%s %s', async (id, type) => {
  const server: ScriptedVenue = await startScripted(id, type);
  const calls: BudgetedCall[] = [];
  const config = venueConfig.parse({
    id: `${id}-${type}`,
    name: id,
    adapter: id,
    tradingTypes: [type],
    url: server.url,
  });
  const budget = { take: async (call: BudgetedCall) => void calls.push(call), pause: () => undefined };
  const venue = createVenue(config, { budget });
  await env.reset();
  const credentials = await openAccount(server, config.id, type);
  await new PairCatalogue(env.core.platform).storeMarkets(config.id, await venue.fetchMarkets());
  const gateway = env.newGateway(times, venue);
  const recorded = async (work: () => Promise<unknown>) => {
    calls.length = 0;
    await work();
    await untilQuiet(calls);
    return calls.filter(({ accountKey }) => accountKey === env.account.uuid).map(viewOf);
  };
  const idle = await recordIdle(gateway, recorded);
  const holding =
    type === 'spot'
      ? undefined
      : await recordHolding(gateway, { server, venue, credentials, type }, recorded);
  const keepAlive = await recordKeepAlive(id, type, venue, credentials, calls);
  const [limits] = limitsByBudget(config).values();
  const record = { venue: id, tradingType: type, limits, shares: GROUP_SHARE, idle, holding, keepAlive };
  appendFileSync(TARIFF_OUTPUT, `${JSON.stringify(record)}\n`);
  await gateway.close();
  await env.gateway.close();
  await server.close();
  expect(server.problems).toEqual([]);
});

type Recorded = (work: () => Promise<unknown>) => Promise<readonly ReturnType<typeof viewOf>[]>;

const viewOf = (call: BudgetedCall) => ({
  weight: call.weight,
  accountWeight: accountWeightOf(call),
  purpose: purposeOf(call),
});

async function startScripted(id: string, type: TradingType): Promise<ScriptedVenue> {
  const { dialect } = await ofExchanges(`src/venues/${id}/dialect/dialect.ts`);
  const folder = new URL(`../../../../packages/exchanges/src/venues/${id}/`, import.meta.url);
  return ScriptedServer.start(dialect, readRecordings(new URL('dialect/recordings.json', folder)), type);
}

/** Opens an account at the exchange, and gives it to the account of the test. */
async function openAccount(
  server: ScriptedVenue,
  exchange: string,
  type: TradingType,
): Promise<ExchangeCredentials> {
  const [market] = server.exchange.markets;
  const { apiKey, apiSecret, passphrase } = server.exchange.openAccount({ [market!.quote]: 100_000 });
  await env.core.rows(
    'UPDATE exchange_accounts SET exchange = $2, trading_type = $3 WHERE id = $1',
    env.account.uuid,
    exchange,
    type,
  );
  await env.setCredentials({ apiKey, apiSecret, passphrase });
  return { apiKey, apiSecret, passphrase };
}

async function untilQuiet(calls: readonly unknown[]): Promise<void> {
  for (let before = -1; before !== calls.length; ) {
    before = calls.length;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

async function recordIdle(gateway: ExchangeGateway, recorded: Recorded) {
  const { uuid } = env.account;
  const connection = await recorded(async () => {
    await gateway.renewOwnership();
    gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
    await eventually(() => gateway.accounts.streams.isLive(uuid));
  });
  const rotation = await recorded(() => reconcile(gateway));
  await env.core.rows("UPDATE exchange_accounts SET rights_due_at = '-infinity' WHERE id = $1", uuid);
  const rights = await recorded(() => gateway.accounts.readDueRights());
  const funding = await recorded(() => gateway.accounts.readDueFunding());
  return { connection, rotation, rights, funding };
}

/** Compares the account once, as the rotation does. */
async function reconcile(gateway: ExchangeGateway): Promise<void> {
  const { accounts, orders } = gateway;
  // On a slow machine, the lease may have expired.
  await gateway.renewOwnership();
  const reconciler = new AccountReconciler(
    new Reconciliation(env.core.platform),
    accounts.balances,
    new PairCatalogue(env.core.platform),
    new ReconcileActions(orders.reconciler, accounts.positions, accounts.funding, env.logger),
  );
  const account = gateway.ownership.ownedAccounts().get(env.account.uuid);
  if (account === undefined) throw new Error('the worker does not own the account');
  const { client } = await accounts.clients.openOwned(account);
  await reconciler.run(account, client.as('rotation'), []);
}

interface HoldingSetup {
  readonly server: ScriptedVenue;
  readonly venue: ExchangeVenue;
  readonly credentials: ExchangeCredentials;
  readonly type: TradingType;
}

/** Records the calls of the account after it has bought at the exchange, and the worker knows of it. */
async function recordHolding(gateway: ExchangeGateway, setup: HoldingSetup, recorded: Recorded) {
  const { type } = setup;
  await recorded(() => buy(setup));
  // The comparisons that follow a change read more than later ones.
  for (let run = 0; run < 3; run++) await recorded(() => reconcile(gateway));
  const rotation = await recorded(() => reconcile(gateway));
  await env.core.rows(
    'UPDATE funding_reads SET due_at = now(), complete_until = now() WHERE exchange_account_id = $1',
    env.account.uuid,
  );
  const funding = await recorded(() => gateway.accounts.readDueFunding());
  const { positions } = gateway.accounts;
  const margin = type === 'perpetual' ? await recorded(() => positions.watch(env.account.uuid)) : [];
  return { rotation, funding, margin };
}

async function buy({ server, venue, credentials, type }: HoldingSetup): Promise<void> {
  const { symbol, base, quote } = server.exchange.markets[0]!;
  const seller = venue.connect(server.exchange.openAccount({ [quote]: 100_000, [base]: 2 }), type);
  const buyer = venue.connect(credentials, type);
  const order = { symbol, type: 'LIMIT', price: '60000', amount: '0.5', reduceOnly: false } as const;
  const ids = ['seller', 'buyer'].map((seed) => venue.clientOrderIdFor(seed, type));
  await seller.placeOrder({ ...order, side: 'SELL', timeInForce: 'GTC', venueClientOrderId: ids[0]! });
  await buyer.placeOrder({ ...order, side: 'BUY', timeInForce: 'IOC', venueClientOrderId: ids[1]! });
}

/** Records a call that keeps a stream alive, with a shorter interval; undefined if the venue requires none. */
async function recordKeepAlive(
  id: string,
  type: TradingType,
  venue: ExchangeVenue,
  credentials: ExchangeCredentials,
  calls: BudgetedCall[],
) {
  const keepAlive = declarationOf(id).tradingTypes[type]?.accountStream?.keepAlive;
  if (keepAlive === undefined) return undefined;
  const { everyMs } = keepAlive;
  keepAlive.everyMs = 10 * QUIET_MS;
  try {
    const client = venue.connect(credentials, type, { accountKey: 'kept-alive' });
    const ignore = () => undefined;
    await new Promise<void>((resolve, reject) => {
      client.watch({
        onConnected: resolve,
        onLost: reject,
        onOrder: ignore,
        onBalances: ignore,
        onPositions: ignore,
      });
    });
    calls.length = 0;
    await eventually(() => calls.some(({ accountKey }) => accountKey === 'kept-alive'));
    await client.close();
    return { everyMs, calls: calls.filter(({ accountKey }) => accountKey === 'kept-alive').map(viewOf) };
  } finally {
    keepAlive.everyMs = everyMs;
  }
}
