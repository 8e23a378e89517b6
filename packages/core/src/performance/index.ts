/** Figures of trading results: profit by day, equity history, returns and ratios. */
export { type DayResult, figuresOfDays } from './daily-results.rules.js';
export { EquityHistory } from './equity-history.rules.js';
export { equityPoints, equityPointsWhere } from './equity-points.queries.js';
export { amountText, orNull, quotient, ratioText, secondsText, sumOf } from './figures.rules.js';
