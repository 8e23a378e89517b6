/** Margin accounts at exchanges whose interest joins the loan or is deducted from the balance, which scripts play. */
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { Reconciliation } from '@trading-automation/core/trades';
import type { ExchangeClient, ExchangeCredentials, ExchangeVenue } from '@trading-automation/exchanges';
import { createVenue, venueConfig } from '@trading-automation/exchanges/ccxt';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { AccountReconciler } from './account-reconciler.js';
import { ReconcileActions } from './reconcile-actions.js';

/** What this file uses of the scripted exchange, which is a part of the tests of another package. */
interface ScriptedVenue {
  readonly url: string;
  readonly problems: readonly string[];
  readonly exchange: {
    openAccount(balances: Readonly<Record<string, number>>): ExchangeCredentials;
    chargeInterest(asset: string, rate: string): void;
  };
  close(): Promise<void>;
}

const ofExchanges = (path: string) =>
  import(new URL(`../../../../packages/exchanges/${path}`, import.meta.url).pathname);
const { ScriptedServer } = await ofExchanges('conformance/scripted/scripted-server.ts');
const { readRecordings } = await ofExchanges('conformance/scripted/recordings.ts');

let env: GatewayUnderTest;
let server: ScriptedVenue;
let venue: ExchangeVenue;
let gateway: ExchangeGateway;
let user: ExchangeClient;
let maker: ExchangeClient;
let orders: number;

beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());
afterEach(async () => {
  await gateway.close();
  await env.gateway.close();
  await venue.close();
  await server.close();
});

async function start(id: string): Promise<void> {
  const { dialect } = await ofExchanges(`src/venues/${id}/dialect/dialect.ts`);
  const folder = new URL(`../../../../packages/exchanges/src/venues/${id}/`, import.meta.url);
  server = await ScriptedServer.start(
    dialect,
    readRecordings(new URL('dialect/recordings.json', folder)),
    'margin',
  );
  const config = { id, name: id, adapter: id, tradingTypes: ['margin'], url: server.url };
  venue = createVenue(venueConfig.parse(config), {});
  await new PairCatalogue(env.core.platform).storeMarkets(id, await venue.fetchMarkets());
  const credentials = server.exchange.openAccount({ USDT: 10_000 });
  await env.core.rows(
    "UPDATE exchange_accounts SET exchange = $2, trading_type = 'margin' WHERE id = $1",
    env.account.uuid,
    id,
  );
  await env.setCredentials(credentialsOf(credentials));
  gateway = env.newGateway({ pollEveryMs: 3_600_000 }, venue);
  await gateway.renewOwnership();
  user = venue.connect(credentialsOf(credentials), 'margin');
  const ofMaker = server.exchange.openAccount({ USDT: 100_000, BTC: 2 });
  maker = venue.connect(credentialsOf(ofMaker), 'margin');
  orders = 0;
  // What an account may borrow depends on the last price.
  const other = server.exchange.openAccount({ USDT: 100_000, BTC: 2 });
  await place(maker, 'SELL', '0.1');
  await place(venue.connect(credentialsOf(other), 'margin'), 'BUY', '0.1');
}

const credentialsOf = ({ apiKey, apiSecret, passphrase }: ExchangeCredentials): ExchangeCredentials => ({
  apiKey,
  apiSecret,
  passphrase,
});

async function place(
  client: ExchangeClient,
  side: 'BUY' | 'SELL',
  amount: string,
  loan: { readonly autoBorrow?: boolean; readonly autoRepay?: boolean } = {},
): Promise<void> {
  orders++;
  await client.placeOrder({
    symbol: 'BTC/USDT',
    venueClientOrderId: venue.clientOrderIdFor(`direct-${orders}`, 'margin'),
    type: 'LIMIT',
    side,
    timeInForce: 'GTC',
    price: '60000',
    amount,
    reduceOnly: false,
    ...loan,
  });
}

/** Compares the account until every difference that lasts for 20 s is a trade. */
async function compareForLong(): Promise<void> {
  const { accounts } = gateway;
  const reconciler = new AccountReconciler(
    new Reconciliation(env.core.platform),
    accounts.balances,
    new PairCatalogue(env.core.platform),
    new ReconcileActions(gateway.orders.reconciler, accounts.positions, accounts.funding, env.logger),
  );
  const account = gateway.ownership.ownedAccounts().get(env.account.uuid)!;
  const { client } = await accounts.clients.openOwned(account);
  for (let run = 0; run < 3; run++) {
    await reconciler.run(account, client.as('rotation'), []);
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
const borrowed = async () =>
  (
    await env.core.row(
      "SELECT loans -> 'BTC' ->> 'borrowed' AS borrowed FROM exchange_accounts WHERE id = $1",
      env.account.uuid,
    )
  ).borrowed;

it.each(['bitget', 'gate'])(
  'interest at %s is no trade, while it accrues and once it is paid',
  async (id) => {
    await start(id);
    await place(maker, 'BUY', '0.1');
    await place(user, 'SELL', '0.1', { autoBorrow: true });
    await compareForLong();
    expect([await trades(), await borrowed()]).toEqual([['EXTERNAL SELL 0.1'], '0.1']);
    server.exchange.chargeInterest('BTC', '0.00001');
    await compareForLong();
    // The account has no BTC, so the interest is owed like the loan.
    expect([await trades(), await borrowed()]).toEqual([['EXTERNAL SELL 0.1'], '0.100001']);
    await place(maker, 'SELL', '0.2');
    await place(user, 'BUY', '0.2', { autoRepay: true });
    await compareForLong();
    expect([await trades(), await borrowed()]).toEqual([['EXTERNAL SELL 0.1', 'EXTERNAL BUY 0.2'], null]);
    expect(server.problems).toEqual([]);
  },
);
