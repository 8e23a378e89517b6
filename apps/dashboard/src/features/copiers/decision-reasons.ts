/** Why a signal was not copied, or only in part: the end of a sentence, for every code of the API. */

/** What the sentences of the reasons are made of. */
export interface Facts {
  readonly symbol: string;
  readonly isEntry: boolean;
  readonly rule: string | undefined;
  /** The numbers of the rule as text; undefined if they are missing or hidden. */
  readonly value: string | undefined;
  readonly limit: string | undefined;
  readonly base: (value: string) => string;
  readonly quote: (value: string) => string;
  /** Formats a number without a unit. */
  readonly plain: (value: string) => string;
  readonly input: (name: string) => string | undefined;
}

type Reason = (facts: Facts) => string;

const seconds = (ms: string) => `${Math.round(Number(ms) / 100) / 10} s`;

/** Words for both numbers of a rule; the shorter words if one of them is missing or hidden. */
function withBoth(
  { value, limit }: Facts,
  words: (value: string, limit: string) => string,
  shorter: string,
): string {
  return value === undefined || limit === undefined ? shorter : words(value, limit);
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  PAUSED: 'the copier was paused, and a paused copier copies neither entries nor exits',
  CLOSE_ONLY: 'the copier was set to close only, which copies only exits',
};

const notActive: Reason = ({ rule, value }) =>
  rule === 'status' && value !== undefined
    ? (STATUS_WORDS[value] ?? `the status of the copier was ${value}`)
    : 'the order was cancelled before it was filled in full';

const notHeld: Reason = (facts) =>
  facts.rule === 'watermark'
    ? withBoth(
        facts,
        (value, limit) =>
          `the strategy opened this lot with signal ${value}, and the copier started after signal ${limit}`,
        'the strategy opened this lot before the copier started',
      )
    : 'the copier held nothing of this lot that it could sell';

const pairBlocked: Reason = ({ rule, symbol }) =>
  rule === 'allowed_pairs'
    ? `${symbol} is not among the pairs that the copier may copy`
    : `${symbol} is among the pairs that the copier never copies`;

const sideBlocked: Reason = (facts) =>
  facts.rule === 'no_borrowing'
    ? 'a short on margin needs a loan, and copies never borrow'
    : withBoth(
        facts,
        (value, limit) => `the entry was on the side ${value}, and only ${limit} is allowed`,
        'entries on this side are not allowed',
      );

const staleSignal: Reason = (facts) =>
  withBoth(
    facts,
    (value, limit) => `the signal was ${seconds(value)} old, and the limit is ${seconds(limit)}`,
    'the signal became too old before the order was filled',
  );

const offMarket: Reason = (facts) => {
  if (facts.rule === 'order_book') return 'no recent order book was known to compare the price with';
  const [price, middle] = [facts.input('reference_price'), facts.input('book_mid')];
  const prices =
    price === undefined || middle === undefined
      ? "the strategy's price"
      : `the strategy's price of ${facts.quote(price)}, compared with the market at ${facts.quote(middle)},`;
  return withBoth(
    facts,
    (value, limit) =>
      `${prices} was ${facts.plain(value)} bps away from the market, and the limit is ${limit} bps`,
    `${prices} was too far from the market`,
  );
};

const staleEquity: Reason = ({ rule }) =>
  rule === 'leader_equity'
    ? "no recent equity of the strategy's account was known, which the size depends on"
    : 'no recent equity of your account was known, which the size depends on';

const dailyLoss: Reason = (facts) =>
  withBoth(
    facts,
    (value, limit) => `the loss of the day was ${facts.quote(value)}, and the limit is ${facts.quote(limit)}`,
    'the limit of the daily loss was reached',
  );

const drawdown: Reason = (facts) =>
  withBoth(
    facts,
    (value, limit) =>
      `the result had fallen by ${facts.plain(value)} % from its peak, and the limit is ${facts.plain(limit)} %`,
    'the limit of the drawdown was reached',
  );

const maxTrades: Reason = (facts) =>
  withBoth(
    facts,
    (value, limit) => `${value} ${value === '1' ? 'lot was' : 'lots were'} open, and the limit is ${limit}`,
    'the limit of open lots was reached',
  );

const maxTrade: Reason = (facts) => {
  if (facts.rule === 'max_amount')
    return withBoth(
      facts,
      (value, limit) =>
        `${facts.base(value)} is above the exchange's maximum of ${facts.base(limit)} for one order`,
      "the amount is above the exchange's maximum for one order",
    );
  const whose =
    facts.rule === 'max_notional' ? "the exchange's maximum for one order" : 'the limit for one entry';
  const { value, limit } = facts;
  if (limit === undefined) return `it would cost more than ${whose}`;
  // A value that is hidden or rounded, because another user owns the strategy, may not exceed the limit.
  return value === undefined || Number(value) <= Number(limit)
    ? `it would cost more than ${whose} of ${facts.quote(limit)}`
    : `it would cost ${facts.quote(value)}, and ${whose} is ${facts.quote(limit)}`;
};

const maxOpen: Reason = (facts) =>
  withBoth(
    facts,
    (value, limit) =>
      `it would cost ${facts.quote(value)}, which exceeds what is left of the limit of ${facts.quote(limit)} for all open lots`,
    'the limit for all open lots was reached',
  );

const maxLeverage: Reason = (facts) =>
  withBoth(
    facts,
    (_value, limit) =>
      `the positions of the account would be worth more than ${limit} times its equity, which is the limit`,
    'the limit for the leverage of the account was reached',
  );

const marginRatio: Reason = (facts) =>
  withBoth(
    facts,
    (value, limit) =>
      `the margin is ${value} times the maintenance margin, which is below the limit of ${limit}`,
    'the margin of the account is too low',
  );

const belowMinimum: Reason = (facts) => {
  const { rule = '' } = facts;
  const unit = rule.endsWith('amount') ? facts.base : facts.quote;
  const subject = rule.startsWith('sellable')
    ? (value: string) => `${unit(value)} could be sold again after fees and a fall of the price, which is`
    : (value: string) =>
        Number(value) === 0 ? 'the amount rounds down to nothing, which is' : `${unit(value)} is`;
  return withBoth(
    facts,
    (value, limit) => `${subject(value)} below the exchange's minimum of ${unit(limit)}`,
    facts.limit === undefined
      ? "the amount is below the exchange's minimum"
      : `the amount is below the exchange's minimum of ${unit(facts.limit)}`,
  );
};

const insufficientBalance: Reason = (facts) => {
  const unit = facts.rule === 'free_base' ? facts.base : facts.quote;
  return withBoth(
    facts,
    (value, limit) => `the order needs ${unit(value)}, and ${unit(limit)} is free on the account`,
    facts.limit !== undefined && facts.rule !== undefined
      ? `only ${unit(facts.limit)} is free on the account`
      : 'the free balance of the account is too low',
  );
};

const slippage: Reason = (facts) => {
  if (facts.rule === 'price_tick') return 'no price step of the exchange is within the slippage limit';
  const price = facts.input('limit_price');
  return price === undefined
    ? 'the market was beyond the slippage limit'
    : `the market was beyond the limit price of ${facts.quote(price)}`;
};

export const REASONS: Readonly<Record<string, Reason>> = {
  NOT_ACTIVE: notActive,
  NOT_HELD: notHeld,
  PAIR_BLOCKED: pairBlocked,
  PAIR_UNAVAILABLE: ({ symbol }) =>
    `the exchange of the copier does not offer ${symbol} or a pair that the settings allow instead`,
  SIDE_BLOCKED: sideBlocked,
  STALE_SIGNAL: staleSignal,
  OFF_MARKET: offMarket,
  STALE_EQUITY: staleEquity,
  DAILY_LOSS: dailyLoss,
  DRAWDOWN: drawdown,
  MAX_TRADES: maxTrades,
  MAX_TRADE: maxTrade,
  MAX_OPEN: maxOpen,
  MAX_LEVERAGE: maxLeverage,
  MARGIN_RATIO: marginRatio,
  BELOW_MINIMUM: belowMinimum,
  INSUFFICIENT_BALANCE: insufficientBalance,
  SLIPPAGE: slippage,
  EXCHANGE_REJECTED: () => 'the exchange rejected the order',
  NOT_ACCEPTED: () => 'the exchange did not accept the order',
  CREDENTIALS: () => 'the exchange refused the credentials of the account',
  RATE_LIMITED: () => 'the rate limit of the exchange was reached',
};

/** A short name of each code, for counts. */
export const REASON_NAMES: Readonly<Record<string, string>> = {
  NOT_ACTIVE: 'Copier not active',
  NOT_HELD: 'Lot that was not copied',
  PAIR_BLOCKED: 'Pair not allowed',
  PAIR_UNAVAILABLE: 'Pair not offered by the exchange',
  SIDE_BLOCKED: 'Side not allowed',
  STALE_SIGNAL: 'Signal too old',
  OFF_MARKET: 'Price too far from the market',
  STALE_EQUITY: 'Equity not known',
  DAILY_LOSS: 'Daily loss limit',
  DRAWDOWN: 'Drawdown limit',
  MAX_TRADES: 'Limit of open lots',
  MAX_TRADE: 'Limit for one entry',
  MAX_OPEN: 'Limit of open exposure',
  MAX_LEVERAGE: 'Limit of leverage',
  MARGIN_RATIO: 'Margin too low',
  BELOW_MINIMUM: "Below the exchange's minimum",
  INSUFFICIENT_BALANCE: 'Balance too low',
  SLIPPAGE: 'Slippage limit',
  EXCHANGE_REJECTED: 'Rejected by the exchange',
  NOT_ACCEPTED: 'Not accepted by the exchange',
  CREDENTIALS: 'Credentials refused',
  RATE_LIMITED: 'Rate limit of the exchange',
};
