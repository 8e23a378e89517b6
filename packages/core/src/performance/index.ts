/** Metrics of trading results: profit by day, equity history, returns and ratios. */
export { computeDayMetrics, type DayResult } from './daily-results.rules.js';
export { EquityHistory } from './equity-history.rules.js';
export { equityPoints, equityPointsWhere } from './equity-points.queries.js';
export {
  formatAmount,
  formatQuotient,
  formatSeconds,
  mapNullable,
  quotient,
  sumOf,
} from './format-metrics.rules.js';
