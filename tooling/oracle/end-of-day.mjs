import { setTimeout as wait } from 'node:timers/promises';
import { compareOrders, numberDifferences, textDifferences } from './compare.mjs';
import { closedTradesOf, figuresOf } from './figures.mjs';
import { exact, sum } from './fraction.mjs';

/** The figures that do not depend on recorded prices or equity. */
const EXCLUDED = ['unrealized_pnl'];
/** In this time the product values a fee in a third asset, at worst by the candle of its minute. */
const VALUED_MAX_MS = 120_000;

/**
 * Compares, for every account, orders, fills, balances, results of trades and analytics.
 *
 * @param {import('./day.mjs').Day} day
 */
export async function compareAccounts(day) {
  const { participants, replay } = day.parts;
  const accounts = new Map(
    [...participants.strategies, ...participants.copiers].map(({ account }) => [account.id, account]),
  );
  for (const account of accounts.values()) {
    const differences = await compareAccount(day, account);
    if (differences.length > 0) day.report({ account: account.name, differences });
  }
  for (const exit of replay.carriedExits) {
    const differences = await compareCarried(day, exit);
    if (differences.length > 0)
      day.report({ copier: exit.copier.name, decision: exit.decisionId, differences });
  }
  for (const copier of participants.copiers) {
    const differences = await compareCopier(day, copier);
    if (differences.length > 0) day.report({ copier: copier.name, differences });
  }
}

/** @param {import('./day.mjs').Day} day @param {import('./participants.mjs').Account} account */
async function compareAccount(day, account) {
  const { participants, replay, reader } = day.parts;
  const facts = await reader.read(account, { all: true });
  const books = participants.pairs.map(({ symbol }) => replay.book(account.id, symbol));
  const analytics = await readAnalytics(participants.api, account.id);
  const figures = figuresOf({ books, fills: facts.fills, priceOf: () => exact('0') });
  const comparable = Object.fromEntries(Object.entries(figures).filter(([name]) => !EXCLUDED.includes(name)));
  const record = await participants.api.get(`/v1/exchanges/${account.id}`);
  const totals = Object.fromEntries(
    Object.entries(facts.ledger.balances).map(([asset, { free, locked }]) => [
      asset,
      exact(free).plus(exact(locked)),
    ]),
  );
  return [
    ...compareOrders(facts),
    ...numberDifferences(withZeros(record.balance, totals), totals).map(named('balance')),
    ...numberDifferences(analytics, comparable).map(named('analytics')),
    ...textDifferences(analytics, { trade_count: facts.trades.size }).map(named('analytics')),
    ...books.flatMap((book) =>
      closedTradesOf(book).flatMap(({ tradeId, pnl }) =>
        numberDifferences(facts.trades.get(tradeId) ?? {}, { realized_pnl: pnl }).map(
          named(`trade ${tradeId}`),
        ),
      ),
    ),
  ];
}

/**
 * Reads analytics once all fees in a third asset have a value. Without one, such a fee is in no figure.
 *
 * @param {import('./api.mjs').Api} api
 * @param {string} accountId
 */
async function readAnalytics(api, accountId) {
  const deadline = performance.now() + VALUED_MAX_MS;
  for (;;) {
    const analytics = await api.get(`/v1/trades/analytics?exchange_account_id=${accountId}`);
    if (analytics.fees_incomplete !== true || performance.now() > deadline) return analytics;
    await wait(500);
  }
}

/** @param {import('./day.mjs').Day} day @param {import('./participants.mjs').Copier} copier */
async function compareCopier(day, copier) {
  const { participants, replay } = day.parts;
  const { stats } = await day.refresh(copier);
  const own = participants.pairs.flatMap(({ symbol }) =>
    replay.book(copier.account.id, symbol).closures.filter(({ lot }) => lot.owner === copier.id),
  );
  return numberDifferences(stats, { net_pnl: sum(own.map(({ pnl }) => pnl)) }).map(named('stats'));
}

/**
 * An exit that waited and that a later one has sold is copied in full.
 *
 * @param {import('./day.mjs').Day} day
 * @param {import('./replay.mjs').WaitingExit} exit
 */
async function compareCarried(day, { copier, decisionId, target }) {
  const path = `/v1/copiers/${copier.id}/decisions?sort=sequence`;
  const decisions = await day.parts.participants.api.list(path);
  const decision = decisions.find(({ id }) => id === decisionId) ?? {};
  return [
    ...textDifferences(decision, { outcome: 'COPIED' }),
    ...numberDifferences(decision, { filled_amount: target, sent_amount: target }),
  ];
}

/** @param {string} prefix */
const named = (prefix) => (/** @type {import('./compare.mjs').Difference} */ difference) => ({
  ...difference,
  field: `${prefix}.${difference.field}`,
});

/** An asset that the account never had is absent. @param {Record<string, string>} balance @param {object} totals */
const withZeros = (balance, totals) => ({
  ...Object.fromEntries(Object.keys(totals).map((asset) => [asset, '0'])),
  ...balance,
});
