/**
 * The record of a storm in which everything went well: one strategy, one copier, one lot that was opened and closed. Tests
 * forge it to show that the audit finds what it looks for.
 */

export const SIGNAL_AT = Date.parse('2026-01-01T00:00:00Z');
export const STORM_ENDED_AT = SIGNAL_AT + 120_000;

/** @type {ReadonlyMap<string, import('./judge-exits.mjs').Market>} */
export const MARKETS = new Map([
  ['BTC/USDT', { step: '0.00001', minAmount: '0.00001', minNotional: '10', price: '60000' }],
]);

/**
 * @param {number} sequence
 * @param {Partial<import('./judge-copies.mjs').Report>} [changes]
 * @returns {import('./judge-copies.mjs').Report}
 */
export function reportOf(sequence, changes) {
  return {
    signalId: `signal-${sequence}`,
    copierId: 'copier-1',
    accountId: 'account-1',
    tradeId: null,
    history: '',
    lotId: 'lot-1',
    sequence,
    symbol: 'BTC/USDT',
    kind: sequence === 1 ? 'OPEN' : 'CLOSE',
    signalAt: SIGNAL_AT,
    maxAgeMs: 60_000,
    outcome: 'COPIED',
    code: null,
    targetAmount: '0.01',
    filledAmount: '0.01',
    isSettled: true,
    ...changes,
  };
}

/**
 * @param {number} sequence
 * @param {Partial<import('./judge-copies.mjs').CopyOrder>} [changes]
 * @returns {import('./judge-copies.mjs').CopyOrder}
 */
export function orderOf(sequence, changes) {
  return {
    tradeId: `trade-${sequence}`,
    accountId: 'account-1',
    copierId: 'copier-1',
    lotId: 'lot-1',
    sequence,
    symbol: 'BTC/USDT',
    isEntry: sequence === 1,
    exchangeOrderId: String(sequence),
    failureCode: null,
    ...changes,
  };
}

/**
 * @param {number} sequence
 * @param {Partial<import('./compare-accounts.mjs').VenueOrder>} [changes]
 * @returns {import('./compare-accounts.mjs').VenueOrder}
 */
export function venueOrderOf(sequence, changes) {
  return {
    order_id: String(sequence),
    client_order_id: `client-${sequence}`,
    symbol: 'BTC/USDT',
    side: sequence === 1 ? 'BUY' : 'SELL',
    filled_amount: '0.01',
    status: 'FILLED',
    ...changes,
  };
}

/**
 * @param {number} sequence
 * @param {Partial<import('./compare-accounts.mjs').VenueFill>} [changes]
 * @returns {import('./compare-accounts.mjs').VenueFill}
 */
export function fillOf(sequence, changes) {
  return {
    fill_id: `fill-${sequence}`,
    order_id: String(sequence),
    symbol: 'BTC/USDT',
    side: sequence === 1 ? 'BUY' : 'SELL',
    price: '60000',
    amount: '0.01',
    fee: '0',
    fee_asset: 'USDT',
    ...changes,
  };
}

/**
 * @param {Partial<import('./compare-accounts.mjs').Ledger>} [changes]
 * @returns {ReadonlyMap<string, import('./compare-accounts.mjs').Ledger>}
 */
export function ledgersOf(changes) {
  const ledger = {
    balances: { BTC: { free: '0', locked: '0' }, USDT: { free: '1000', locked: '0' } },
    orders: [venueOrderOf(1), venueOrderOf(2)],
    fills: [fillOf(1), fillOf(2)],
    ...changes,
  };
  return new Map([['account-1', ledger]]);
}

/**
 * @param {Partial<import('./audit.mjs').StormRecord>} [changes]
 * @returns {import('./audit.mjs').StormRecord}
 */
export function recordOf(changes) {
  return {
    copiers: [{ id: 'copier-1', strategyId: 'strategy-1', accountId: 'account-1' }],
    copierCount: 1,
    signals: [1, 2].map((sequence) => ({
      id: `signal-${sequence}`,
      strategyId: 'strategy-1',
      sequence,
      lotId: 'lot-1',
      kind: sequence === 1 ? 'OPEN' : 'CLOSE',
    })),
    purchases: [
      {
        id: 'lot-1',
        filledAmount: '0.02',
        signalled: '0.02',
        opened: '0.02',
        closedBefore: null,
        isClosedAfterRewind: false,
      },
    ],
    reports: [reportOf(1), reportOf(2)],
    orders: [orderOf(1), orderOf(2)],
    ledgers: ledgersOf(),
    lives: [{ name: 'worker', from: SIGNAL_AT - 60_000, to: Number.POSITIVE_INFINITY }],
    exitFindings: [],
    accountDifferences: [],
    positionDifferences: [],
    leaderLots: [],
    crashes: [],
    unanswered: new Map(),
    ...changes,
  };
}
