/** The fixture of the conformance suites: the exchange under test, two accounts on it, and their orders. */
import {
  type ExchangeClient,
  type ExchangeCredentials,
  ExchangeError,
  type ExchangeVenue,
  type OrderKey,
  type OrderRequest,
  type VenueOrder,
} from '../src/index.js';

/** An exchange under test on which no other client trades the symbol. */
export interface VenueUnderTest {
  readonly venue: ExchangeVenue;
  /** A pair with a price tick of 0.01, an amount step of 0.00001 and a minimum notional of at most 10. */
  readonly symbol: 'BTC/USDT';
  readonly openAccount: (balances: Readonly<Record<string, number>>) => Promise<ExchangeCredentials>;
  readonly close: () => Promise<void>;
}

/** Returns `outcome/code` of the error with which a call fails. Throws if the call succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ExchangeError) return `${error.outcome}/${error.code}`;
    throw error;
  }
  throw new Error('the call succeeded');
}

/** Returns the order with a client order id. Throws if the look-up does not find it. */
export async function foundOrder(client: ExchangeClient, key: OrderKey): Promise<VenueOrder> {
  const lookup = await client.findOrder(key);
  if (lookup.outcome !== 'FOUND') throw new Error(`the order is ${lookup.outcome}`);
  return lookup.order;
}

/** The members of an order request that a test sets. */
type OrderOverrides = Partial<OrderRequest>;

/**
 * Returns a function that creates order requests for `symbol`, each with its own client order id. Default: a limit
 * order to buy 0.5 at 60,000.
 */
function orderFactory({ venue, symbol }: Pick<VenueUnderTest, 'venue' | 'symbol'>) {
  let orderCount = 0;
  return (overrides: OrderOverrides = {}): OrderRequest => ({
    symbol,
    venueClientOrderId: venue.clientOrderIdFor(`trade-${++orderCount}`, 'spot'),
    type: 'LIMIT',
    side: 'BUY',
    timeInForce: 'GTC',
    amount: '0.5',
    reduceOnly: false,
    ...(overrides.type?.endsWith('MARKET') ? {} : { price: '60000' }),
    ...overrides,
  });
}

/** The exchange under test with two accounts on it, created for each test. */
export interface ConformanceFixture<S extends VenueUnderTest> {
  subject: S;
  maker: ExchangeClient;
  taker: ExchangeClient;
  order: ReturnType<typeof orderFactory>;
  readonly connectAccount: () => Promise<ExchangeClient>;
}

export function setupConformanceFixture<S extends VenueUnderTest>(
  setup: () => Promise<S>,
): ConformanceFixture<S> {
  const connectAccount = async () =>
    fixture.subject.venue.connect(await fixture.subject.openAccount({ USDT: 100_000, BTC: 2 }), 'spot');
  const fixture = { connectAccount } as ConformanceFixture<S>;
  beforeEach(async () => {
    fixture.subject = await setup();
    fixture.order = orderFactory(fixture.subject);
    [fixture.maker, fixture.taker] = [await connectAccount(), await connectAccount()];
  });
  afterEach(() => fixture.subject.close());
  return fixture;
}
