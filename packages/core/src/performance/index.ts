/** Metrics of trading results: profit by day, equity history, returns and ratios. */
export { computeDayMetrics, type DayResult, LOW_SAMPLE_DAYS } from './daily-results.rules.js';
export { dayPrices, recordDayPrices } from './day-prices.queries.js';
export { EquityHistory, type EquityPoint } from './equity-history.rules.js';
export { equityPoints } from './equity-points.queries.js';
export { type ReturnMetrics, returnMetrics } from './equity-returns.rules.js';
export {
  formatAmount,
  formatQuotient,
  formatRatio,
  formatSeconds,
  mapNullable,
  quotient,
  sumOf,
} from './format-metrics.rules.js';
export {
  type DayPrice,
  dailyResults,
  type HoldingChange,
  type OpenResults,
} from './open-results.rules.js';
