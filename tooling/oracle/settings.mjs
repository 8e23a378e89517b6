/**
 * Draws the settings of copiers and their accounts.
 *
 * @typedef {import('../chaos/random.mjs').Random} Random
 */

/**
 * Draws the settings of a copier. Some have what is otherwise seldom, so that every day contains it.
 *
 * @param {Random} random
 * @param {number} number of the copier among those of its strategy
 */
export function drawCopier(random, number) {
  const settings = {
    sizing: drawSizing(random),
    below_minimum: random.pick(['ACCUMULATE', 'ACCUMULATE', 'SKIP', 'ROUND_UP']),
    copy_existing: false,
    limits: drawLimits(random),
    on_breach: random.pick(['CLOSE_ONLY', 'PAUSE']),
  };
  const maxLoss = random.between(8, 40).toFixed(2);
  const maxDrawdown = random.between(0.05, 0.3).toFixed(3);
  const small = random.between(12, 25).toFixed(2);
  const maxTrade = random.between(40, 200).toFixed(2);
  // Exits of small copies are often below the minimum.
  if (number === 2) return { ...settings, sizing: { mode: 'FIXED_QUOTE', value: small }, limits: {} };
  if (number === 3) return { ...settings, limits: { ...settings.limits, max_trade_quote: maxTrade } };
  if (number === 4) return { ...settings, limits: { ...settings.limits, max_daily_loss_quote: maxLoss } };
  if (number === 5) return { ...settings, limits: { ...settings.limits, max_drawdown_percent: maxDrawdown } };
  return settings;
}

/** @param {Random} random */
export function drawSizing(random) {
  const mode = random.pick(['FIXED_AMOUNT', 'FIXED_QUOTE', 'MULTIPLIER', 'MULTIPLIER', 'EQUITY_RATIO']);
  if (mode === 'FIXED_AMOUNT') return { mode, value: random.between(0.0005, 0.02).toFixed(6) };
  if (mode === 'FIXED_QUOTE') return { mode, value: random.between(12, 900).toFixed(2) };
  if (mode === 'MULTIPLIER') return { mode, value: random.between(0.01, 2).toFixed(3) };
  const capital = random.happens(0.5) ? { capital: random.between(500, 60_000).toFixed(2) } : {};
  return { mode, value: random.between(0.3, 1.5).toFixed(2), ...capital };
}

/** @param {Random} random */
function drawLimits(random) {
  return {
    ...(random.happens(0.25) ? { max_trade_quote: random.between(20, 600).toFixed(2) } : {}),
    ...(random.happens(0.2) ? { max_open_quote: random.between(100, 2_500).toFixed(2) } : {}),
    ...(random.happens(0.2) ? { max_open_trades: random.pick([1, 2, 3]) } : {}),
    ...(random.happens(0.3) ? { max_slippage_bps: random.pick([0, 30, 100, 200]) } : {}),
    ...(random.happens(0.15) ? { blocked_pairs: ['ETH/USDT'] } : {}),
    ...(random.happens(0.1) ? { allowed_pairs: ['BTC/USDT', 'SOL/USDT'] } : {}),
    ...(random.happens(0.08) ? { allowed_sides: ['SELL'] } : {}),
  };
}

/**
 * Draws the balances of a copier's account, and the asset in which it pays fees; null: the received asset.
 *
 * @param {Random} random
 * @param {number} number of the copier among those of its strategy
 */
export function drawAccount(random, number) {
  const feeAsset = random.pick([null, null, 'USDT', 'SOL']);
  return {
    balances: { USDT: random.pick(['30000', '30000', '30000', '6000', '150']), SOL: '20' },
    // Every day has fees in the base currency, the quote currency and a third asset.
    feeAsset: number === 2 ? null : number === 3 ? 'USDT' : number === 4 ? 'SOL' : feeAsset,
  };
}
