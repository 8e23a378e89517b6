/**
 * Draws the settings of copiers and their accounts.
 *
 * @typedef {import('../chaos/random.mjs').Random} Random
 */

/** @param {Random} random */
export function drawCopier(random) {
  return {
    sizing: drawSizing(random),
    below_minimum: random.pick(['ACCUMULATE', 'ACCUMULATE', 'SKIP', 'ROUND_UP']),
    copy_existing: false,
    limits: drawLimits(random),
  };
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
 */
export function drawAccount(random) {
  return {
    balances: { USDT: random.pick(['30000', '30000', '30000', '6000', '150']), SOL: '20' },
    feeAsset: random.pick([null, null, 'USDT', 'SOL']),
  };
}
