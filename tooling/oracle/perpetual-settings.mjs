/**
 * Draws the settings of copiers on perpetuals. Minimums and steps are larger than on spot, so sizes are, too.
 *
 * @typedef {import('../chaos/random.mjs').Random} Random
 */

/**
 * Draws the settings of a copier. Some have what is otherwise seldom, so that every day contains it.
 *
 * @param {Random} random
 * @param {number} number of the copier among those of its strategy
 */
export function drawPerpetualCopier(random, number) {
  const settings = {
    sizing: drawPerpetualSizing(random),
    below_minimum: random.pick(['ACCUMULATE', 'ACCUMULATE', 'SKIP', 'ROUND_UP']),
    copy_existing: false,
    limits: drawLimits(random),
    on_breach: random.pick(['CLOSE_ONLY', 'PAUSE']),
  };
  const small = random.between(60, 180).toFixed(2);
  const leverage = random.between(0.002, 0.02).toFixed(4);
  // Exits of small copies are often below the minimum.
  if (number === 3) return { ...settings, sizing: { mode: 'FIXED_QUOTE', value: small }, limits: {} };
  if (number === 4) return { ...settings, limits: { ...settings.limits, max_leverage: leverage } };
  // No account has this ratio while it has a position.
  if (number === 6) return { ...settings, limits: { min_margin_ratio: '100000000' } };
  return settings;
}

/** @param {Random} random */
export function drawPerpetualSizing(random) {
  const mode = random.pick(['FIXED_AMOUNT', 'FIXED_QUOTE', 'MULTIPLIER', 'MULTIPLIER', 'EQUITY_RATIO']);
  if (mode === 'FIXED_AMOUNT') return { mode, value: random.between(0.02, 2).toFixed(4) };
  if (mode === 'FIXED_QUOTE') return { mode, value: random.between(60, 6_000).toFixed(2) };
  if (mode === 'MULTIPLIER') return { mode, value: random.between(0.05, 2).toFixed(3) };
  const capital = random.happens(0.5) ? { capital: random.between(5_000, 300_000).toFixed(2) } : {};
  return { mode, value: random.between(0.3, 1.5).toFixed(2), ...capital };
}

/** @param {Random} random */
function drawLimits(random) {
  return {
    ...(random.happens(0.25) ? { max_trade_quote: random.between(200, 4_000).toFixed(2) } : {}),
    ...(random.happens(0.2) ? { max_open_quote: random.between(1_000, 20_000).toFixed(2) } : {}),
    ...(random.happens(0.2) ? { max_open_trades: random.pick([1, 2, 3]) } : {}),
    ...(random.happens(0.3) ? { max_slippage_bps: random.pick([0, 30, 100, 200]) } : {}),
    ...(random.happens(0.15) ? { blocked_pairs: ['ETH/USDT:USDT'] } : {}),
    ...(random.happens(0.1) ? { allowed_pairs: ['BTC/USDT:USDT', 'SOL/USDT:USDT'] } : {}),
    ...(random.happens(0.15) ? { allowed_sides: [random.pick(['BUY', 'SELL'])] } : {}),
  };
}
