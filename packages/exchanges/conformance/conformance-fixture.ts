/** The fixture of the conformance suites: the exchange under test, two accounts on it, and their orders. */
import type { TimeInForce, TradeType, TradingType } from '@trading-automation/contracts';
import { Decimal } from 'decimal.js';
import {
  type ExchangeClient,
  type ExchangeCredentials,
  ExchangeError,
  type ExchangeVenue,
  type ForcedCause,
  type Market,
  type OrderKey,
  type OrderRequest,
  type VenueOrder,
  type VenueOrderStatus,
} from '../src/index.js';
import type { RefusalKind } from './scripted/model.js';

/** In what exchanges differ, although each of them conforms. */
interface VenueTraits {
  /** Whether the response to a new order contains its state, or only that the exchange accepted it. */
  readonly placement: 'STATE' | 'ACKNOWLEDGEMENT';
  /** The currency of fees on spot: what the order receives, or the quote currency. */
  readonly spotFeeIn: 'RECEIVED' | 'QUOTE';
  /** What becomes of a post-only order that would take liquidity. */
  readonly postOnlyThatTakes: 'REFUSED' | 'EXPIRES' | 'ENDS';
  /** Whether the exchange has FOK orders. Default: true. */
  readonly hasFok?: boolean | undefined;
  /** What becomes of a FOK order that cannot fill completely. Default: `EXPIRES`. */
  readonly fokThatDoesNotFill?: 'REFUSED' | 'EXPIRES';
  /** Whether interest is owed until it is paid, or taken from the balance at once. Default: `OWED`. */
  readonly interest?: 'OWED' | 'DEDUCTED' | undefined;
  /** Whether the exchange reports what a key may do. */
  readonly reportsPermissions: boolean;
  /**
   * Whether look-ups report the time in force of limit orders. Otherwise they may report GTC instead, and orders that
   * ended under their own terms as cancelled. Default: true.
   */
  readonly reportsTimeInForce?: boolean;
  /** Whether the account stream has balances, or they are read by calls. Default: true. */
  readonly streamsBalances?: boolean;
  /** Whether accounts can keep long and short positions of a market apart. Default: true. */
  readonly hasHedgeMode?: boolean;
  /** Whether a position with cross margin has a leverage of its own, or the highest of its market. Default: true. */
  readonly hasCrossLeverage?: boolean;
  /** Whether interest becomes a part of the loan when it is charged. Default: it is reported separately. */
  readonly interestIsPartOfLoan?: boolean;
  /** Whether the account stream passes a repeated fill on once, or as often as the exchange sends it. Default: false. */
  readonly passesFillsOnce?: boolean;
  /** The leverage of a new account. Default: 10. */
  readonly initialLeverage?: number;
  /** Whether the interest of the first hour is charged when a loan is taken. Default: false. */
  readonly chargesInterestAtOnce?: boolean;
  /** Whether a client order id may be used again. */
  readonly clientOrderIds: 'UNIQUE_AMONG_OPEN' | 'UNIQUE_FOR_EVER' | 'RETURNS_FIRST' | 'NOT_UNIQUE';
}

/** An exchange under test on which no other client trades the symbol. */
export interface VenueUnderTest {
  readonly venue: ExchangeVenue;
  readonly tradingType: TradingType;
  readonly traits: VenueTraits;
  /** A pair whose price tick divides 0.1, whose amount step divides 0.001, and whose minimum notional is at most 50. */
  readonly symbol: string;
  readonly otherSymbol: string;
  /** The quote currency of both. Default: USDT. */
  readonly quote?: string;
  /** The rules of the symbol, as the exchange has them. */
  readonly rules: Partial<Market>;
  readonly orderTypes: readonly TradeType[];
  readonly openAccount: (balances: Readonly<Record<string, number>>) => Promise<ExchangeCredentials>;
  readonly close: () => Promise<void>;
}

/** What an exchange closed of a position. */
export interface ForcedClose {
  readonly amount: string;
  readonly price: string;
}

/** An exchange whose prices, funding, interest and accounts a test controls. */
export interface TradedVenueUnderTest extends VenueUnderTest {
  readonly setMarkPrice: (price: string) => Promise<void>;
  /** Pays funding for the symbol: longs pay the rate to shorts. */
  readonly payFunding: (rate: string) => Promise<void>;
  /** Charges interest on what accounts have borrowed. The exchange may have a rate of its own: 0.00001. */
  readonly chargeInterest: (asset: string, rate: string) => Promise<void>;
  /**
   * Closes an account's position in the symbol, as the exchange does, and returns what it closed. Where the exchange itself
   * decides, that differs from what is asked for.
   */
  readonly forceClose: (
    credentials: ExchangeCredentials,
    forced: ForcedClose & { readonly cause: ForcedCause },
  ) => Promise<ForcedClose>;
  /** Changes what the exchange reports of an account. */
  readonly changeAccount: (
    credentials: ExchangeCredentials,
    change: {
      readonly isHedged?: boolean;
      readonly kind?: 'PORTFOLIO_MARGIN' | 'UNKNOWN';
      readonly canTrade?: boolean;
      readonly canWithdraw?: boolean;
    },
  ) => Promise<void>;
}

/** An exchange whose faults a test controls, too. */
export interface ControlledVenueUnderTest extends TradedVenueUnderTest {
  /** Loses the next message about the order book of the symbol. */
  readonly loseBookMessage: () => void;
  /** The number of requests for the exchange's time. */
  readonly clockReads: () => number;
  /** Sets how the exchange treats the next requests. */
  readonly setWeather: (weather: Weather) => void;
  /** Ends every stream connection. */
  readonly cutStreams: () => Promise<void>;
}

/** Faults of an exchange or of the network. */
export interface Weather {
  /** The exchange executes the request, then closes the connection without an answer. */
  readonly dropsAnswers?: boolean;
  /** The exchange answers with status 503 and does nothing. */
  readonly isDown?: boolean;
  /** A refusal of every request. */
  readonly refuses?: RefusalKind | undefined;
  /** The exchange executes the request, then sends HTML instead of its answer. */
  readonly sendsHtml?: boolean;
  /** The exchange executes the request, then sends a part of its answer. */
  readonly truncates?: boolean;
}

/** Returns the quote currency of the pairs of the suites. */
export const quoteOf = ({ quote = 'USDT' }: Pick<VenueUnderTest, 'quote'>): string => quote;

/** Returns the price that is a number of ticks above another. */
export const ticksAbove = ({ rules }: Pick<VenueUnderTest, 'rules'>, price: string, ticks: number): string =>
  new Decimal(rules.priceTick ?? '0.01').times(ticks).plus(price).toFixed();

/** Returns what a look-up may report as the time in force of an order. */
export const timesInForceOf = (
  { traits }: Pick<VenueUnderTest, 'traits'>,
  { timeInForce }: Pick<OrderRequest, 'timeInForce'>,
): readonly TimeInForce[] => (traits.reportsTimeInForce === false ? [timeInForce, 'GTC'] : [timeInForce]);

/** Returns whether a FOK order that does not fill can be looked up. */
export const keepsUnfilledFok = ({ traits }: Pick<VenueUnderTest, 'traits'>): boolean =>
  traits.hasFok !== false && traits.fokThatDoesNotFill !== 'REFUSED';

/** Returns what a look-up may report as the status of an order that ended under its own terms. */
export const statusesOfEnded = ({ traits }: Pick<VenueUnderTest, 'traits'>): readonly VenueOrderStatus[] =>
  traits.reportsTimeInForce === false ? ['EXPIRED', 'CANCELLED'] : ['EXPIRED'];

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
function orderFactory({ venue, symbol, tradingType }: VenueUnderTest) {
  let orderCount = 0;
  return (overrides: OrderOverrides = {}): OrderRequest & { readonly sentAt: Date } => ({
    symbol,
    venueClientOrderId: venue.clientOrderIdFor(`trade-${++orderCount}`, tradingType),
    type: 'LIMIT',
    side: 'BUY',
    timeInForce: 'GTC',
    amount: '0.5',
    reduceOnly: false,
    sentAt: new Date(),
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
  readonly connect: (credentials: ExchangeCredentials) => ExchangeClient;
  /** Places an order and returns its state, which some exchanges report only when they are asked. */
  readonly place: (client: ExchangeClient, order: OrderRequest & OrderKey) => Promise<VenueOrder>;
}

export function setupConformanceFixture<S extends VenueUnderTest>(
  setup: () => Promise<S>,
  balances: Readonly<Record<string, number>> = { USDT: 100_000, BTC: 2 },
): ConformanceFixture<S> {
  const connect = (credentials: ExchangeCredentials) =>
    fixture.subject.venue.connect(credentials, fixture.subject.tradingType);
  const connectAccount = async () => connect(await fixture.subject.openAccount(balances));
  const place = async (client: ExchangeClient, order: OrderRequest & OrderKey) => {
    const placed = await client.placeOrder(order);
    return fixture.subject.traits.placement === 'STATE' ? placed : foundOrder(client, order);
  };
  const fixture = { connectAccount, connect, place } as ConformanceFixture<S>;
  beforeEach(async () => {
    fixture.subject = await setup();
    fixture.order = orderFactory(fixture.subject);
    [fixture.maker, fixture.taker] = [await connectAccount(), await connectAccount()];
  });
  afterEach(() => fixture.subject.close());
  return fixture;
}
