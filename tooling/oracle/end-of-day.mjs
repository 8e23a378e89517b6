import { setTimeout as wait } from 'node:timers/promises';
import { compareOrders, numberDifferences, textDifferences } from './compare.mjs';
import { closedTradesOf, figuresOf, strategyStatistics } from './figures.mjs';
import { exact, greatest, sum, ZERO } from './fraction.mjs';
import { compareLots } from './lot-records.mjs';
import { fundingOf } from './perpetual-records.mjs';
import { oneDayDifferences, openValueOf, resultOf } from './results.mjs';

/**
 * Compares, for every account, strategy and copier, what the day has left.
 *
 * @typedef {import('./day.mjs').Day} Day
 * @typedef {import('./compare.mjs').Difference} Difference
 * @typedef {import('./participants.mjs').Account} Account
 * @typedef {import('./participants.mjs').Copier} Copier
 * @typedef {import('./participants.mjs').Strategy} Strategy
 */

/** In this time the product values all fees, records prices and equities, and computes figures. */
const COMPUTED_MAX_MS = 180_000;
/** In this time after a connection, the product reads the payments of funding (ADR 52: "one to five minutes after"). */
const FUNDING_READ_MAX_MS = 360_000;
/** In this time a stream reports a balance after the last trade. */
const REPORTED_MAX_MS = 15_000;

/** @param {Day} day */
export async function compareAccounts(day) {
  const { participants, replay } = day.parts;
  const patience = day.tradingType === 'spot' ? COMPUTED_MAX_MS : FUNDING_READ_MAX_MS;
  const deadline = performance.now() + patience;
  const compare = async (/** @type {object} */ name, /** @type {() => Promise<Difference[]>} */ read) => {
    const differences = await untilEqual(read, deadline);
    if (differences.length > 0) day.report({ ...name, differences });
  };
  const accounts = new Map(
    [...participants.strategies, ...participants.copiers].map(({ account }) => [account.id, account]),
  );
  if (day.tradingType === 'perpetual') await compareBeforeReconnection(day, [...accounts.values()]);
  for (const account of accounts.values())
    await compare({ account: account.name }, () => compareAccount(day, account));
  for (const exit of replay.carriedExits)
    await compare({ copier: exit.copier.name, decision: exit.decisionId }, () =>
      compareWaited(day, exit, {
        texts: { outcome: 'COPIED' },
        numbers: { filled_amount: exit.filled, sent_amount: exit.filled },
      }),
    );
  for (const exit of replay.endedExits)
    await compare({ copier: exit.copier.name, decision: exit.decisionId }, () =>
      compareWaited(day, exit, { texts: { outcome: 'SKIPPED', code: exit.code }, numbers: {} }),
    );
  for (const copier of participants.copiers)
    await compare({ copier: copier.name }, () => compareCopier(day, copier));
  for (const strategy of participants.strategies)
    await compare({ strategy: strategy.account.name }, () => compareStrategy(day, strategy));
}

/**
 * Compares the balances that the account streams have reported. Then all streams connect again, because the product reads
 * payments that are not paid at a regular time of funding only after that (ADR 52).
 *
 * @param {Day} day
 * @param {readonly Account[]} accounts
 */
async function compareBeforeReconnection(day, accounts) {
  const deadline = performance.now() + REPORTED_MAX_MS;
  for (const account of accounts) {
    const differences = await untilEqual(async () => {
      const { balance } = await day.parts.participants.api.get(`/v1/exchanges/${account.id}`);
      const totals = totalsOf(day, await day.venue.ledger(account.credentials));
      return numberDifferences(withZeros(balance, totals), totals).map(named('balance'));
    }, deadline);
    if (differences.length > 0)
      day.report({ account: account.name, problem: 'the balance before a reconnection', differences });
  }
  await day.venue.admin('POST', 'streams/disconnect', {});
}

/**
 * Reads until there is no difference, because some figures follow within seconds.
 *
 * @param {() => Promise<Difference[]>} read
 * @param {number} deadline
 */
async function untilEqual(read, deadline) {
  for (;;) {
    const differences = await read();
    if (differences.length === 0 || performance.now() > deadline) return differences;
    await wait(500);
  }
}

/** @param {Day} day @param {Account} account */
function booksOf({ parts: { participants, replay } }, account) {
  return participants.pairs.map(({ symbol }) => replay.book(account.id, symbol));
}

/** @param {Day} day */
const lastPrices =
  (day) =>
  (/** @type {import('./lots.mjs').LotBook} */ { pair }) =>
    day.priceOf(pair);

/** @param {Day} day @param {Account} account */
async function compareAccount(day, account) {
  const { api } = day.parts.participants;
  const facts = await day.parts.reader.read(account, { all: true });
  const books = booksOf(day, account);
  const priceOf = lastPrices(day);
  const analytics = await api.get(`/v1/trades/analytics?exchange_account_id=${account.id}`);
  const record = await api.get(`/v1/exchanges/${account.id}`);
  const totals = totalsOf(day, facts.ledger);
  const funding = fundingOf(books, facts.ledger);
  const results = figuresOf({ books, fills: facts.fills, priceOf });
  const figures = { ...results, funding: funding.total, net_pnl: results.net_pnl.plus(funding.total) };
  return [
    ...compareOrders(facts),
    ...numberDifferences(withZeros(record.balance, totals), totals).map(named('balance')),
    ...numberDifferences(analytics, comparableOf(day, figures)).map(named('analytics')),
    ...textDifferences(analytics, { trade_count: facts.trades.size }).map(named('analytics')),
    ...(facts.fills.length === 0
      ? []
      : [
          ...dayDifferences(day, account, analytics, figures),
          ...compareEquity(day, account, analytics.equity),
        ].map(named('analytics'))),
    ...books.flatMap((book) =>
      closedTradesOf(book).flatMap(({ tradeId, pnl }) =>
        numberDifferences(facts.trades.get(tradeId) ?? {}, { realized_pnl: pnl }).map(
          named(`trade ${tradeId}`),
        ),
      ),
    ),
    ...compareLots(await api.list(`/v1/lots?exchange_account_id=${account.id}`), {
      books,
      priceOf,
      fundingOf: (lot) => funding.ofLots.get(lot) ?? ZERO,
      strategyIdOf: ({ owner, copierId }) =>
        copierId === undefined ? owner : day.copierOf(copierId).strategy.id,
    }),
  ];
}

/** Returns the balances of the account in the wallet of its trading type. @param {Day} day @param {any} ledger */
function totalsOf({ tradingType }, { balances, futures_balances }) {
  if (tradingType === 'perpetual') return { USDT: exact(futures_balances.USDT.wallet) };
  return Object.fromEntries(
    Object.entries(balances).map(([asset, { free, locked }]) => [asset, exact(free).plus(exact(locked))]),
  );
}

/** Returns the funding of the lots of a strategy or copier. @param {Day} day @param {Account} account @param {string} owner */
async function fundingOfOwner(day, account, owner) {
  const { ofLots } = fundingOf(booksOf(day, account), await day.venue.ledger(account.credentials));
  return sum([...ofLots].filter(([lot]) => lot.owner === owner).map(([, amount]) => amount));
}

/**
 * Returns the figures that are comparable: analytics have the prices that are recorded once a minute.
 *
 * @param {Day} day
 * @param {ReturnType<typeof figuresOf>} figures
 */
function comparableOf(day, { unrealized_pnl, ...figures }) {
  return day.waitsForEquity ? { ...figures, unrealized_pnl } : figures;
}

/**
 * Compares figures of the only day of a record.
 *
 * @param {Day} day
 * @param {Account} account
 * @param {any} analytics
 * @param {{ net_pnl: import('./fraction.mjs').Fraction, unrealized_pnl: import('./fraction.mjs').Fraction }} figures
 */
function dayDifferences(day, account, analytics, { net_pnl, unrealized_pnl }) {
  const equity = day.equityOfOnlyDay(account);
  if (equity === undefined) return [];
  const total = net_pnl.plus(unrealized_pnl);
  const names = { roi: 'roi', percent: 'max_drawdown.percent' };
  return [
    ...numberDifferences(analytics, {
      'max_drawdown.amount': greatest(ZERO, ZERO.minus(total)),
      'realized_max_drawdown.amount': greatest(ZERO, ZERO.minus(net_pnl)),
    }),
    ...textDifferences(analytics, { sample_days: 1, low_sample: true }),
    ...textDifferences(analytics, { sharpe: null, sortino: null, calmar: null }),
    ...textDifferences(analytics, { realized_sharpe: null, realized_sortino: null }),
    ...oneDayDifferences(analytics, total, equity, names),
    ...oneDayDifferences(analytics, net_pnl, equity, {
      roi: 'realized_roi',
      percent: 'realized_max_drawdown.percent',
    }),
  ];
}

/**
 * Compares the last recorded equity, if the run waits for it.
 *
 * @param {Day} day
 * @param {Account} account
 * @param {string | null} equity
 * @returns {Difference[]}
 */
function compareEquity(day, account, equity) {
  if (!day.waitsForEquity) return [];
  const { newest } = day.parts.replay.equities.range(account.id);
  return numberDifferences({ equity }, { equity: newest });
}

/** @param {Day} day @param {Copier} copier */
async function compareCopier(day, copier) {
  const { stats } = await day.refresh(copier);
  const books = booksOf(day, copier.account);
  const result = resultOf(books, copier.id, lastPrices(day));
  const funding = await fundingOfOwner(day, copier.account, copier.id);
  const hasCopies = books.some(({ lots }) => lots.some(({ owner }) => owner === copier.id));
  return [
    ...numberDifferences(stats, {
      net_pnl: result.realized.plus(funding),
      unrealized_pnl: result.open,
      open_exposure_quote: openValueOf(books, copier.id, lastPrices(day)),
      ...day.parts.replay.countsOf(copier.id),
    }),
    ...(hasCopies ? ratioDifferences(day, copier.account, stats, withFunding(result, funding)) : []),
  ].map(named('stats'));
}

/** @param {Day} day @param {Account} account @param {any} record @param {import('./results.mjs').Result} result */
function ratioDifferences(day, account, record, { realized, open }) {
  const equity = day.equityOfOnlyDay(account);
  const names = { roi: 'roi', percent: 'max_drawdown_percent' };
  return [
    ...(equity === undefined ? [] : oneDayDifferences(record, realized.plus(open), equity, names)),
    ...(equity === undefined ? [] : textDifferences(record, { sharpe: null, sortino: null })),
    ...compareEquity(day, account, record.equity),
  ];
}

/** @param {Day} day @param {Strategy} strategy */
async function compareStrategy(day, { id, account }) {
  const { api, copiers } = day.parts.participants;
  const { performance: record } = await api.get(`/v1/strategies/${id}`);
  const books = booksOf(day, account);
  const result = resultOf(books, id, lastPrices(day));
  const followers = copiers.filter(({ strategy }) => strategy.id === id);
  const funding = await fundingOfOwner(day, account, id);
  const fundings = await Promise.all(
    followers.map((copier) => fundingOfOwner(day, copier.account, copier.id)),
  );
  return [
    ...numberDifferences(record, {
      ...strategyStatistics(books, id),
      net_pnl: result.realized.plus(funding),
      copier_net_pnl: sum([
        ...fundings,
        ...followers.map(
          (copier) => resultOf(booksOf(day, copier.account), copier.id, lastPrices(day)).realized,
        ),
      ]),
    }),
    // These are computed once a minute while lots are open.
    ...(day.waitsForEquity
      ? [
          ...numberDifferences(record, { unrealized_pnl: result.open }),
          ...ratioDifferences(day, account, record, withFunding(result, funding)),
        ]
      : []),
  ].map(named('performance'));
}

/** @param {import('./results.mjs').Result} result @param {import('./fraction.mjs').Fraction} funding */
const withFunding = (result, funding) => ({ ...result, realized: result.realized.plus(funding) });

/**
 * Compares the decision about an exit that waited.
 *
 * @param {Day} day
 * @param {import('./replay.mjs').WaitingExit} exit
 * @param {{ texts: Record<string, string>, numbers: Record<string, import('./fraction.mjs').Fraction> }} expected
 */
async function compareWaited(day, { copier, decisionId }, { texts, numbers }) {
  const path = `/v1/copiers/${copier.id}/decisions?sort=sequence`;
  const decisions = await day.parts.participants.api.list(path);
  const decision = decisions.find(({ id }) => id === decisionId) ?? {};
  return [...textDifferences(decision, texts), ...numberDifferences(decision, numbers)];
}

/** @param {string} prefix */
const named = (prefix) => (/** @type {Difference} */ difference) => ({
  ...difference,
  field: `${prefix}.${difference.field}`,
});

/** An asset that the account never had is absent. @param {Record<string, string>} balance @param {object} totals */
const withZeros = (balance, totals) => ({
  ...Object.fromEntries(Object.keys(totals).map((asset) => [asset, '0'])),
  ...balance,
});
