/**
 * The settings of the copiers.
 *
 * @typedef {Pick<import('@trading-automation/sdk').CopierCreate, 'sizing' | 'limits' | 'below_minimum'>} Settings
 */

/** The settings, used in turn. With them, every order of a leader can be copied. @type {readonly Settings[]} */
const settings = [
  { sizing: { mode: 'MULTIPLIER', value: '1' } },
  { sizing: { mode: 'MULTIPLIER', value: '0.37' }, below_minimum: 'SKIP' },
  { sizing: { mode: 'FIXED_QUOTE', value: '150' } },
  { sizing: { mode: 'FIXED_AMOUNT', value: '1' }, limits: { max_trade_quote: '120' } },
  { sizing: { mode: 'EQUITY_RATIO', value: '1' } },
  { sizing: { mode: 'MULTIPLIER', value: '0.25' }, below_minimum: 'ACCUMULATE' },
  { sizing: { mode: 'MULTIPLIER', value: '2' }, limits: { max_open_quote: '1000000', max_slippage_bps: 30 } },
];

/** Settings that exclude or reduce many copies, used in turn by one of `selectiveEvery` copiers. @type {readonly Settings[]} */
const selectiveSettings = [
  { sizing: { mode: 'MULTIPLIER', value: '0.05' }, below_minimum: 'ACCUMULATE' },
  { sizing: { mode: 'MULTIPLIER', value: '2' }, limits: { max_open_quote: '2500' } },
];
const selectiveEvery = 40;

/** On perpetuals, minimums and amount steps are larger, and so are the fixed sizes. @type {readonly Settings[]} */
const perpetualSettings = settings.map((each) =>
  each.sizing.mode === 'FIXED_QUOTE'
    ? { sizing: { mode: 'FIXED_QUOTE', value: '600' } }
    : each.sizing.mode === 'FIXED_AMOUNT'
      ? { ...each, limits: { max_trade_quote: '480' } }
      : each,
);

/** @param {number} number of the copier @param {import('./run.mjs').TradingType} tradingType */
export function settingsOf(number, tradingType) {
  const isSelective = number % selectiveEvery === selectiveEvery - 1;
  const list = isSelective ? selectiveSettings : tradingType === 'spot' ? settings : perpetualSettings;
  const turn = isSelective ? Math.floor(number / selectiveEvery) : number;
  return /** @type {Settings} */ (list[turn % list.length]);
}
