/** What each figure means, in plain words. */
export const DEFINITIONS = {
  net: 'Profit or loss of everything that was closed in this range, after all fees, with funding and interest. What is still open does not count.',
  open: 'What you would gain or lose if everything that is open were sold at the last prices, after the fees paid so far.',
  fees: 'Everything that the exchanges charged for your fills in this range.',
  funding:
    'Funding of perpetuals less the interest on loans, as far as it was paid in this range. Positive: you received it. It is part of the net result.',
  roi: 'How much your capital grew in this range, in percent. Daily returns are compounded, and open positions count.',
  volume: 'The value of all fills in this range, purchases and sales together.',
  grossProfit: 'The sum of all trades that ended with a profit, after fees.',
  grossLoss: 'The sum of all trades that ended with a loss, after fees.',
  profitFactor: 'Gross profit divided by gross loss. Above 1, the profits outweigh the losses.',
  expectancy: 'What an average closed trade gained or lost.',
  averageWin: 'What an average winning trade gained.',
  averageLoss: 'What an average losing trade lost.',
  best: 'The closed trade with the highest result.',
  worst: 'The closed trade with the lowest result.',
  winRate: 'The share of closed trades that ended with a profit.',
  closed: 'Trades whose whole amount was sold again in this range.',
  holding: 'The average time from the first fill of a trade until all of it was sold.',
  drawdown:
    'The largest fall from a peak of your result to the lowest point after it, measured at the end of each day. It shows how much patience the range took.',
  sharpe:
    'The average daily return divided by how much the daily returns vary, for a year. Higher means steadier gains; above 1 is good.',
  sortino: 'Like the Sharpe ratio, but only losses count as variation. Gains that vary do no harm.',
  calmar:
    'The return of a year divided by the largest drawdown. Higher means more return for the risk taken.',
  losingRun: 'The longest series of losing trades, in the order in which they were closed.',
  days: 'The days on which you traded or had something open. With fewer than 30, the ratios say little.',
} as const;
