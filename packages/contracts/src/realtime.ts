/** What subscriptions push: a strategy's signals, and the changes of an order book. */
import { z } from 'zod';
import { type Decimal, decimal } from './decimal.js';
import { SIGNAL_KINDS } from './decisions.js';
import { TRADING_TYPES } from './exchange-accounts.js';
import { idOf } from './ids.js';
import { instant } from './operation.js';
import { TRADE_SIDES, TRADE_TYPES } from './trades.js';

/** A count of the product's own, which may be beyond 32 bits and is always a safe integer. */
const count = () => z.number().int().meta({ format: 'int64' });

/** One thing that a strategy's account did to one lot of the strategy. */
export const tradeSignal = z
  .object({
    id: idOf('sig').describe('The same however often it is sent: there is one for each fill and lot.'),
    sequence: count().describe(
      "The signal's place among the strategy's signals: 1, 2, 3, … without gaps. A subscription resumes after it.",
    ),
    strategy_id: idOf('str'),
    kind: z
      .enum(SIGNAL_KINDS)
      .describe(
        'OPEN and INCREASE enter the lot that a trade of the strategy opened; REDUCE and CLOSE leave it.',
      ),
    symbol: z.string(),
    trading_type: z.enum(TRADING_TYPES),
    side: z.enum(TRADE_SIDES).describe('Of the fill.'),
    order_type: z.enum(TRADE_TYPES).describe('Of the trade whose fill made the signal.'),
    price: decimal.optional().describe('Limit price of that trade, in quote currency.'),
    stop_price: decimal.optional().describe('Stop price of that trade, in quote currency.'),
    filled_amount: decimal.describe('What the fill added to the lot or took of it, in base currency.'),
    leader_ratio: decimal
      .optional()
      .describe(
        "Value of the fill in proportion to the strategy account's equity; absent where that was not known.",
      ),
    position_fraction_closed: decimal
      .optional()
      .describe('Of an exit: what was taken of the lot in proportion to what it held before, 0 to 1.'),
    reference_price: decimal.describe('What the fill was executed at, in quote currency.'),
    source_trade_id: idOf('trd').describe('The trade whose fill made the signal.'),
    emitted_at: instant,
    expires_at: instant.describe(
      'From when on a copier does not enter on it any more, unless it says otherwise; exits are always followed.',
    ),
  })
  .meta({ id: 'TradeSignal' });
export type TradeSignal = Readonly<z.output<typeof tradeSignal>>;

/**
 * Most levels of a side that a subscription may ask for. Workers load 1,000 of a side and hear of changes from then on:
 * the far half stands in for the levels that are taken.
 */
export const ORDER_BOOK_DEPTH_MAX = 500;

const ORDER_BOOK_KINDS = ['SNAPSHOT', 'DELTA'] as const;

const levels = (order: string) =>
  z
    .array(z.array(decimal).length(2))
    .describe(
      `Levels as \`[price, amount]\`, ${order}, prices in quote and amounts in base currency. In a DELTA an amount of 0 takes the level out.`,
    );

/** One message about the best levels of an order book. */
export const orderBookUpdate = z
  .object({
    exchange: z.string().describe("The exchange's id."),
    symbol: z.string(),
    kind: z
      .enum(ORDER_BOOK_KINDS)
      .describe(
        'SNAPSHOT is all levels within the depth and follows nothing; DELTA is what changed in them since previous_sequence.',
      ),
    sequence: count().describe("The product's own number, per book and growing, not without gaps."),
    previous_sequence: count()
      .nullable()
      .describe('Of the message that a DELTA follows; null of a SNAPSHOT.'),
    bids: levels('highest price first'),
    asks: levels('lowest price first'),
    exchange_timestamp: instant.describe('When the exchange says that it was so.'),
    received_at: instant.describe('When it was heard of here.'),
  })
  .meta({ id: 'OrderBookUpdate' });

type OrderBookLevel = readonly [price: Decimal, amount: Decimal];

/** One message is handed to many subscribers: nobody may change it. */
export interface OrderBookUpdate extends Readonly<Omit<z.output<typeof orderBookUpdate>, 'bids' | 'asks'>> {
  readonly bids: readonly OrderBookLevel[];
  readonly asks: readonly OrderBookLevel[];
}
