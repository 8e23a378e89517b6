/** Payloads of subscriptions: a strategy's signals and the changes of an order book. */
import { z } from 'zod';
import { type Decimal, decimal } from './decimal.js';
import { SIGNAL_KINDS } from './decisions.js';
import { TRADING_TYPES } from './exchange-accounts.js';
import { idOf } from './ids.js';
import { instant } from './operation.js';
import { TRADE_SIDES, TRADE_TYPES } from './trades.js';

/** Schema of a sequence number: a safe integer that may exceed 32 bits. */
const sequenceNumber = () => z.number().int().meta({ format: 'int64' });

/** One change to one lot of a strategy. */
export const tradeSignal = z
  .object({
    id: idOf('sig').describe(
      'Id of the signal. There is one signal per fill and lot; it has the same id each time it is sent.',
    ),
    sequence: sequenceNumber().describe(
      "The signal's number within its strategy: 1, 2, 3, … without gaps. Resume a subscription after it.",
    ),
    strategy_id: idOf('str'),
    kind: z
      .enum(SIGNAL_KINDS)
      .describe('OPEN and INCREASE are entries into a lot of the strategy. REDUCE and CLOSE are exits.'),
    symbol: z.string(),
    trading_type: z.enum(TRADING_TYPES),
    side: z.enum(TRADE_SIDES).describe('Side of the fill.'),
    order_type: z.enum(TRADE_TYPES).describe('Type of the trade whose fill caused the signal.'),
    price: decimal.optional().describe('Limit price of that trade, in quote currency.'),
    stop_price: decimal.optional().describe('Stop price of that trade, in quote currency.'),
    filled_amount: decimal
      .nullable()
      .describe(
        "Amount that the fill added to or removed from the lot, in base currency. Null for everybody but the strategy's owner.",
      ),
    leader_ratio: decimal
      .optional()
      .describe(
        "Value of the fill ÷ equity of the strategy's account. Absent if the equity is unknown. Rounded to two significant digits for everybody but the strategy's owner.",
      ),
    position_fraction_closed: decimal
      .optional()
      .describe(
        "For an exit: the fraction of the lot that was closed, from 0 to 1. Cut to two significant digits for everybody but the strategy's owner.",
      ),
    reference_price: decimal.describe(
      'Price of the fill, in quote currency; of several fills of one order, the average price, rounded to the price tick.',
    ),
    source_trade_id: idOf('trd').describe('The trade whose fill caused the signal.'),
    emitted_at: instant,
    expires_at: instant.describe(
      'Time after which copiers ignore an entry signal, unless their `max_signal_age_ms` differs. Exits never expire.',
    ),
  })
  .meta({ id: 'TradeSignal' });
export type TradeSignal = Readonly<z.output<typeof tradeSignal>>;

/**
 * Maximum number of levels per side in a subscription. Workers load 1,000 levels per side
 * and then apply changes; the outer 500 levels replace inner levels that are consumed.
 */
export const ORDER_BOOK_DEPTH_MAX = 500;

const ORDER_BOOK_KINDS = ['SNAPSHOT', 'DELTA'] as const;

/** The schema of one side of an order book. */
export const orderBookLevels = (order: string, more = '') =>
  z
    .array(z.array(decimal).length(2))
    .describe(
      `Levels as \`[price, amount]\`, ${order}. Prices are in quote currency, amounts in base currency.${more}`,
    );

const IN_A_DELTA = ' In a DELTA, an amount of 0 removes the level.';

/** One update of the best levels of an order book. */
export const orderBookUpdate = z
  .object({
    exchange: z.string().describe('Id of the exchange.'),
    symbol: z.string(),
    kind: z
      .enum(ORDER_BOOK_KINDS)
      .describe(
        'SNAPSHOT: all levels within the depth. DELTA: the levels that changed since previous_sequence.',
      ),
    sequence: sequenceNumber().describe(
      'Number of the update. It increases with each update of the book, but may have gaps.',
    ),
    previous_sequence: sequenceNumber()
      .nullable()
      .describe('For a DELTA, the sequence of the update before it. Null for a SNAPSHOT.'),
    bids: orderBookLevels('highest price first', IN_A_DELTA),
    asks: orderBookLevels('lowest price first', IN_A_DELTA),
    exchange_timestamp: instant.describe('Time of the update at the exchange.'),
    received_at: instant.describe('Time at which the update was received from the exchange.'),
  })
  .meta({ id: 'OrderBookUpdate' });

type OrderBookLevel = readonly [price: Decimal, amount: Decimal];

/** Readonly, because one update is shared by many subscribers. */
export interface OrderBookUpdate extends Readonly<Omit<z.output<typeof orderBookUpdate>, 'bids' | 'asks'>> {
  readonly bids: readonly OrderBookLevel[];
  readonly asks: readonly OrderBookLevel[];
}
