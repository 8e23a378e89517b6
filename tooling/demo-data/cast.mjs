/**
 * The people of the data, with their accounts, strategies and copiers. Days are counted back from the end, for a record of
 * 120 days; a shorter record scales them.
 */
export const FULL_DAYS = 120;

/** The account that `npm start` opened for the demo user. */
export const MAIN_ACCOUNT = 'demo.main';
export const RESERVE_ACCOUNT = 'demo.reserve';
/** The days before the end at which the exchange rejected the credentials of the reserve account. */
export const REJECTED_DAYS = 2.3;

/**
 * `capital` is the quote currency at the start. The main account has none: its balances exist already.
 *
 * @typedef {{ key: string, user: string, name: string, capital: number }} CastAccount
 * @type {readonly CastAccount[]}
 */
export const ACCOUNTS = [
  { key: MAIN_ACCOUNT, user: 'demo', name: 'Paper account', capital: 0 },
  { key: 'demo.momentum', user: 'demo', name: 'Momentum desk', capital: 1_200_000 },
  { key: 'demo.reversion', user: 'demo', name: 'Mean reversion', capital: 800_000 },
  { key: 'demo.scalping', user: 'demo', name: 'Scalping lab', capital: 500_000 },
  { key: RESERVE_ACCOUNT, user: 'demo', name: 'Cold reserve', capital: 250_000 },
  { key: 'lena', user: 'lena', name: 'Main', capital: 900_000 },
  { key: 'marco', user: 'marco', name: 'Main', capital: 120_000 },
  { key: 'priya', user: 'priya', name: 'Main', capital: 340_000 },
  { key: 'tomas', user: 'tomas', name: 'Main', capital: 640_000 },
  { key: 'aiko', user: 'aiko', name: 'Main', capital: 75_000 },
  { key: 'grace', user: 'grace', name: 'Main', capital: 150_000 },
  { key: 'noor', user: 'noor', name: 'Main', capital: 210_000 },
  { key: 'omar', user: 'omar', name: 'Main', capital: 60_000 },
];

const MAJORS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];
const ALL = [...MAJORS, 'LINK/USDT', 'AVAX/USDT'];

/**
 * `stake` is a fraction of the account's capital.
 *
 * @typedef {{
 *   key: string, account: string, name: string, description: string, visibility: 'PUBLIC' | 'PRIVATE', since: number,
 *   archived?: number, pairs: readonly string[], style: import('./rounds.mjs').Style,
 *   profitShare?: { rate: string, period: 'WEEK' | 'MONTH' | 'QUARTER' }, capacity?: number, minCopyEquity?: string,
 *   trimShare?: number,
 * }} CastStrategy `trimShare`: the share of each open position that is sold just before the end
 * @type {readonly CastStrategy[]}
 */
export const STRATEGIES = [
  {
    key: 'momentum',
    account: 'demo.momentum',
    name: 'Momentum breakout',
    description: 'Buys breakouts of the last 20 days on liquid pairs and holds them for one to four days.',
    visibility: 'PUBLIC',
    since: 118,
    pairs: ALL,
    style: { perDay: 0.24, holdHours: [20, 90], edge: 0.72, stake: [0.14, 0.19], keepsOpen: true },
    profitShare: { rate: '0.15', period: 'WEEK' },
    capacity: 50,
    minCopyEquity: '5000',
  },
  {
    key: 'reversion',
    account: 'demo.reversion',
    name: 'Mean reversion',
    description: 'Buys sharp falls below the 4-hour average and sells the recovery.',
    visibility: 'PRIVATE',
    since: 96,
    pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'LINK/USDT'],
    style: { perDay: 0.28, holdHours: [6, 48], edge: 0.24, stake: [0.14, 0.22], keepsOpen: true },
  },
  {
    key: 'scalping',
    account: 'demo.scalping',
    name: 'Scalping lab',
    description: 'An experiment with short positions in time; ended because fees exceeded the gains.',
    visibility: 'PUBLIC',
    since: 110,
    archived: 38,
    pairs: MAJORS,
    style: { perDay: 0.6, holdHours: [2, 14], edge: -0.3, stake: [0.15, 0.25] },
  },
  {
    key: 'compass',
    account: 'lena',
    name: 'Trend Compass',
    description: 'Follows the weekly trend of BTC, ETH and SOL. Few positions, held for days.',
    visibility: 'PUBLIC',
    since: 115,
    pairs: MAJORS,
    style: { perDay: 0.3, holdHours: [16, 70], edge: 0.68, stake: [0.14, 0.24], keepsOpen: true },
    profitShare: { rate: '0.2', period: 'MONTH' },
    capacity: 100,
    minCopyEquity: '2000',
  },
  {
    key: 'weekend',
    account: 'marco',
    name: 'Weekend Range',
    description: 'Trades the range of quiet weekends.',
    visibility: 'PUBLIC',
    since: 90,
    pairs: ['BTC/USDT', 'ETH/USDT'],
    style: { perDay: 0.35, holdHours: [8, 40], edge: 0.18, stake: [0.2, 0.3], keepsOpen: true },
  },
  {
    key: 'volatility',
    account: 'priya',
    name: 'Volatility Harvest',
    description: 'Large positions after volatile days. Expect deep drawdowns.',
    visibility: 'PUBLIC',
    since: 117,
    pairs: ['SOL/USDT', 'ETH/USDT', 'AVAX/USDT', 'LINK/USDT'],
    style: { perDay: 0.3, holdHours: [10, 60], edge: 0.5, stake: [0.18, 0.24], keepsOpen: true },
    profitShare: { rate: '0.25', period: 'QUARTER' },
    minCopyEquity: '10000',
    trimShare: 0.0004,
  },
  {
    key: 'carry',
    account: 'tomas',
    name: 'Slow Carry',
    description: 'Small, steady gains on BTC with a tight limit on losses.',
    visibility: 'PUBLIC',
    since: 112,
    pairs: ['BTC/USDT', 'ETH/USDT'],
    style: { perDay: 0.4, holdHours: [10, 44], edge: 0.72, stake: [0.05, 0.09], keepsOpen: true },
    profitShare: { rate: '0.1', period: 'MONTH' },
    capacity: 3,
  },
  {
    key: 'sprint',
    account: 'aiko',
    name: 'Altcoin Sprint',
    description: 'Buys the strongest altcoin of each week.',
    visibility: 'PUBLIC',
    since: 100,
    pairs: ['SOL/USDT', 'LINK/USDT', 'AVAX/USDT'],
    style: { perDay: 0.35, holdHours: [8, 50], edge: -0.25, stake: [0.18, 0.28] },
  },
  {
    key: 'breakout',
    account: 'grace',
    name: 'Breakout Lab',
    description: 'A new strategy; two weeks of live results so far.',
    visibility: 'PUBLIC',
    since: 13,
    pairs: MAJORS,
    style: { perDay: 0.6, holdHours: [4, 26], edge: 0.7, stake: [0.15, 0.22] },
    profitShare: { rate: '0.1', period: 'WEEK' },
  },
  {
    key: 'grid',
    account: 'noor',
    name: 'Grid One',
    description: 'A grid of orders on ETH and SOL. Archived after the range broke.',
    visibility: 'PUBLIC',
    since: 118,
    archived: 50,
    pairs: ['ETH/USDT', 'SOL/USDT'],
    style: { perDay: 0.6, holdHours: [3, 24], edge: -0.12, stake: [0.12, 0.2] },
  },
  {
    key: 'night',
    account: 'omar',
    name: 'Night Session',
    description: 'Trades between 22:00 and 06:00 UTC.',
    visibility: 'PUBLIC',
    since: 22,
    pairs: ['BTC/USDT', 'SOL/USDT'],
    style: { perDay: 0.6, holdHours: [3, 9], edge: -0.35, stake: [0.2, 0.3] },
  },
];

/** The trades of the demo user that belong to no strategy; `stake` is in quote currency. */
export const MANUAL = {
  account: MAIN_ACCOUNT,
  pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'LINK/USDT'],
  style: {
    perDay: 0.36,
    holdHours: /** @type {const} */ ([4, 60]),
    edge: 0.22,
    stake: /** @type {const} */ ([60_000, 240_000]),
    fillsMax: 3,
    partialShare: 0.07,
    keepsOpen: true,
  },
};

/**
 * A copier. `since` and `until` are the days of its first and last copy. The shares are of the entries that it does not
 * copy in full: `stale`, `offMarket`, `crowded` are skipped, and `rejected` fail.
 *
 * @typedef {{
 *   key: string, account: string, strategy: string, name: string, since: number, until?: number,
 *   status: 'ACTIVE' | 'PAUSED' | 'CLOSE_ONLY', reason?: 'USER' | 'STRATEGY_ARCHIVED',
 *   sizing: { mode: 'EQUITY_RATIO', value: number, capital: number } | { mode: 'FIXED_QUOTE', value: number },
 *   limits?: { max_trade_quote?: number, max_open_trades?: number, max_slippage_bps?: number, max_daily_loss_quote?: number,
 *     blocked_pairs?: string[] },
 *   shares?: { stale?: number, offMarket?: number, crowded?: number, poor?: number, rejected?: number },
 * }} CastCopier
 * @type {readonly CastCopier[]}
 */
export const COPIERS = [
  {
    key: 'demo.compass',
    account: MAIN_ACCOUNT,
    strategy: 'compass',
    name: 'Trend Compass, full size',
    since: 76,
    status: 'ACTIVE',
    sizing: { mode: 'EQUITY_RATIO', value: 1, capital: 400_000 },
    limits: { max_trade_quote: 72_000, max_slippage_bps: 40, max_daily_loss_quote: 25_000 },
    shares: { stale: 0.04, offMarket: 0.05 },
  },
  {
    key: 'demo.carry',
    account: MAIN_ACCOUNT,
    strategy: 'carry',
    name: 'Slow Carry, small',
    since: 62,
    until: 9,
    status: 'PAUSED',
    reason: 'USER',
    sizing: { mode: 'FIXED_QUOTE', value: 20_000 },
    limits: { max_slippage_bps: 30 },
    shares: { offMarket: 0.08 },
  },
  {
    key: 'demo.volatility',
    account: MAIN_ACCOUNT,
    strategy: 'volatility',
    name: 'Volatility Harvest, capped',
    since: 52,
    status: 'ACTIVE',
    sizing: { mode: 'FIXED_QUOTE', value: 15_000 },
    limits: { max_open_trades: 2, max_slippage_bps: 60, blocked_pairs: ['AVAX/USDT'] },
    shares: { stale: 0.05, offMarket: 0.05, crowded: 0.08, poor: 0.06, rejected: 0.22 },
  },
  {
    key: 'demo.grid',
    account: MAIN_ACCOUNT,
    strategy: 'grid',
    name: 'Grid One trial',
    since: 100,
    until: 50,
    status: 'CLOSE_ONLY',
    reason: 'STRATEGY_ARCHIVED',
    sizing: { mode: 'FIXED_QUOTE', value: 12_000 },
    shares: { stale: 0.1 },
  },
  ...[
    ['lena', 80, 60_000],
    ['marco', 71, 30_000],
    ['priya', 66, 45_000],
    ['tomas', 58, 90_000],
    ['aiko', 44, 20_000],
    ['grace', 33, 25_000],
  ].map(([user, since, capital]) => ({
    key: `${user}.momentum`,
    account: String(user),
    strategy: 'momentum',
    name: 'Momentum breakout',
    since: Number(since),
    status: /** @type {const} */ ('ACTIVE'),
    sizing: /** @type {const} */ ({ mode: 'EQUITY_RATIO', value: 1, capital: Number(capital) }),
    shares: { stale: 0.05, offMarket: 0.05 },
  })),
];

/** Copiers of other users without copies: only their number is visible. By user and strategy. */
export const FOLLOWERS = /** @type {const} */ ([
  ['marco', 'compass'],
  ['aiko', 'compass'],
  ['grace', 'compass'],
  ['noor', 'compass'],
  ['omar', 'compass'],
  ['noor', 'carry'],
  ['omar', 'carry'],
  ['lena', 'volatility'],
  ['marco', 'volatility'],
  ['tomas', 'volatility'],
  ['aiko', 'weekend'],
  ['lena', 'breakout'],
  ['noor', 'scalping'],
]);
