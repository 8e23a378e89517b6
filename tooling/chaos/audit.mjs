import pLimit from 'p-limit';
import pg from 'pg';
import { compareHoldings, compareOrders } from './compare-accounts.mjs';
import { findUnsignalledLots } from './compare-leader-lots.mjs';
import { comparePositions } from './compare-positions.mjs';
import { findLostSignals, wasClosedBeforeSignal } from './compare-signals.mjs';
import {
  countEntries,
  findAvoidableStaleSignals,
  findDuplicates,
  findLostCopies,
  findTakeoverFailures,
  lotKey,
} from './judge-copies.mjs';
import { findUnfinishedExits } from './judge-exits.mjs';
import {
  countFundingEvents,
  readClosedByOthers,
  readLeaderLots,
  readPerpetualAccount,
} from './read-perpetuals.mjs';
import {
  accountUuid,
  readAccount,
  readCopiers,
  readCounts,
  readPurchases,
  readReports,
  readSignals,
} from './read-records.mjs';
import { ledgerOf, marketsOf } from './venue.mjs';

/**
 * The audit of a storm. The exchange's own record of orders, fills and balances (the ledger of the paper exchange) is
 * the truth; the product's records are what it says about them.
 *
 * @typedef {{ id: RuleId, title: string, limit: string, found: string, isMet: boolean, findings: string[] }} RuleResult
 * @typedef {{ trades: number, orders: number, fills: number, signals: number, decisions: Record<string, number>, failures: Record<string, number>, lots: number, external: number, closedBeforeSignal: number, positions: number, payments: number, forced: number, rewound: number }} Figures
 * @typedef {keyof typeof TITLES} RuleId
 */

const TITLES = {
  duplicates: 'orders placed twice',
  lost: 'signals and copies lost',
  takeover: 'copies FAILED for a takeover',
  stale: 'STALE_SIGNAL although a worker lived long enough',
  exits: 'exits neither filled nor below the minimum',
  entries: 'entries that ended COPIED or CLAMPED',
  accounts: 'differences of orders, fills, balances and lots',
  positions: 'differences of positions, their lots and funding',
  crashes: 'processes that crashed',
};

/**
 * @typedef {Pick<import('./participants.mjs').Account, 'id' | 'credentials'> & { tradingType?: 'spot' }} SpotAccount
 * @typedef {SpotAccount | import('./participants.mjs').Account} AuditedAccount
 */

/** The least share of entries that must end COPIED or CLAMPED. */
const COPIED_MIN = 0.9;
/** The number of accounts that are audited concurrently. */
const concurrency = 4;

/**
 * Everything that the rules judge.
 *
 * @typedef {import('./judge-copies.mjs').CopyRecord & {
 *   purchases: readonly import('./compare-signals.mjs').Purchase[], lives: readonly import('./lives.mjs').Life[],
 *   leaderLots: readonly import('./compare-leader-lots.mjs').LeaderLot[],
 *   exitFindings: readonly string[], accountDifferences: string[], positionDifferences: string[], copierCount: number,
 *   crashes: readonly string[], unanswered: ReadonlyMap<string, number>,
 * }} StormRecord `exitFindings`: the result of `findUnfinishedExits` at its deadline; `copierCount`: how many were started;
 *   `crashes`: log lines of processes that crashed; `unanswered`: how many orders of a trade the exchange left unanswered
 */

/**
 * Judges a record by each rule.
 *
 * @param {StormRecord} record
 * @returns {RuleResult[]}
 */
export function judge(record) {
  const { entries, copied } = countEntries(record.reports);
  const missing = record.copierCount - record.copiers.length;
  const lost = [
    ...(missing === 0 ? [] : [`${record.copiers.length} copiers instead of ${record.copierCount}`]),
    ...findLostSignals(record),
    ...findUnsignalledLots(record),
    ...findLostCopies(record),
  ];
  return [
    zeroOf('duplicates', findDuplicates(record)),
    zeroOf('lost', lost),
    zeroOf('takeover', findTakeoverFailures(record)),
    zeroOf('stale', findAvoidableStaleSignals(record)),
    zeroOf('exits', record.exitFindings),
    {
      id: 'entries',
      title: TITLES.entries,
      limit: `at least ${COPIED_MIN * 100} %`,
      found: entries === 0 ? 'no entry' : `${((copied / entries) * 100).toFixed(1)} % of ${entries}`,
      isMet: entries > 0 && copied >= COPIED_MIN * entries,
      findings: [],
    },
    zeroOf('accounts', record.accountDifferences),
    zeroOf('positions', record.positionDifferences),
    zeroOf('crashes', record.crashes),
  ];
}

/**
 * @param {RuleId} id
 * @param {readonly string[]} findings
 * @returns {RuleResult}
 */
function zeroOf(id, findings) {
  const count = findings.length;
  return {
    id,
    title: TITLES[id],
    limit: '0',
    found: String(count),
    isMet: count === 0,
    findings: [...findings],
  };
}

/**
 * Formats the results as a table.
 *
 * @param {readonly RuleResult[]} results
 * @returns {string[]} lines
 */
export function tableOf(results) {
  const rows = [
    ['rule', 'expected', 'found', 'met'],
    ...results.map(({ title, limit, found, isMet }) => [title, limit, found, isMet ? 'yes' : 'NO']),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Reads the record of a storm that is over.
 *
 * @param {{ databaseUrl: string, paperExchangeUrl: string, restUrl?: string }} product `restUrl`: needed for perpetuals
 * @param {{ accounts: readonly AuditedAccount[], copiers: readonly unknown[] }} participants
 * @param {Pick<StormRecord, 'lives' | 'exitFindings' | 'crashes' | 'unanswered'>} storm
 * @returns {Promise<{ record: StormRecord, figures: Figures }>}
 */
export async function readRecord(product, participants, storm) {
  return await withDatabase(product.databaseUrl, async (database) => {
    const figures = {
      trades: 0,
      orders: 0,
      fills: 0,
      lots: 0,
      external: 0,
      positions: 0,
      payments: 0,
      forced: 0,
    };
    /** @type {string[]} */
    const accountDifferences = [];
    /** @type {string[]} */
    const positionDifferences = [];
    const fundingEvents = await countFundingEvents(database);
    /** @type {Map<string, import('./compare-accounts.mjs').Ledger>} */
    const ledgers = new Map();
    await pLimit(concurrency).map(participants.accounts, async (account) => {
      const ledger = await ledgerOf(product.paperExchangeUrl, account.credentials);
      const records = await readAccount(database, account.id);
      ledgers.set(accountUuid(account.id), ledger);
      accountDifferences.push(...compareOrders(account.id, ledger, records));
      if (account.tradingType === 'perpetual') {
        const perpetual = await readPerpetualAccount(database, product.restUrl ?? '', account, fundingEvents);
        const balance = records.account.balances.USDT ?? { free: '0', locked: '0' };
        positionDifferences.push(
          ...comparePositions(account.id, ledger, { ...perpetual, lots: records.lots, balance }),
        );
      } else accountDifferences.push(...compareHoldings(account.id, ledger, records));
      figures.positions += ledger.positions?.length ?? 0;
      figures.payments += ledger.funding?.length ?? 0;
      figures.forced += ledger.liquidations?.length ?? 0;
      figures.trades += records.trades.length;
      figures.external += records.trades.filter(({ origin }) => origin === 'EXTERNAL').length;
      figures.orders += ledger.orders.length;
      figures.fills += ledger.fills.length;
      figures.lots += records.lots.length;
    });
    const signals = await readSignals(database);
    const purchases = withVenueAmounts(await readPurchases(database), ledgers);
    const copiers = await readCopiers(database);
    const leaderLots = await readLeaderLots(database);
    const record = {
      ...storm,
      ...(await readReports(database)),
      ledgers,
      signals,
      purchases,
      leaderLots,
      copiers,
      copierCount: participants.copiers.length,
      accountDifferences,
      positionDifferences,
    };
    return {
      record,
      figures: {
        ...figures,
        signals: signals.length,
        closedBeforeSignal: purchases.filter(wasClosedBeforeSignal).length,
        rewound: leaderLots.filter(({ isRewound }) => isRewound).length,
        ...(await readCounts(database)),
      },
    };
  });
}

/**
 * Replaces the product's filled amounts by those of the exchange.
 *
 * @param {readonly import('./read-records.mjs').PurchaseRow[]} rows
 * @param {ReadonlyMap<string, import('./compare-accounts.mjs').Ledger>} ledgers
 */
function withVenueAmounts(rows, ledgers) {
  const filled = new Map(
    [...ledgers].flatMap(([accountId, { orders }]) =>
      orders.map((order) => [`${accountId} ${order.symbol} ${order.order_id}`, order.filled_amount]),
    ),
  );
  return rows.map((row) => {
    const { accountId, symbol, exchangeOrderId } = row;
    return { ...row, filledAmount: filled.get(`${accountId} ${symbol} ${exchangeOrderId}`) ?? '0' };
  });
}

/**
 * Returns the exits of signals until the given instant that are neither filled nor below the exchange's minimum.
 *
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {import('./participants.mjs').Participants} participants
 * @param {number} until milliseconds since the epoch
 */
export async function readUnfinishedExits(product, participants, until) {
  const { paperExchangeUrl, databaseUrl } = product;
  // The reports are read before the ledgers, so that a fill meanwhile cannot look like a missing one.
  const record = await withDatabase(databaseUrl, async (database) => {
    const signals = await readSignals(database, until);
    const others = await readClosedByOthers(database);
    return {
      signals,
      copiers: await readCopiers(database),
      closedByOthers: new Map(others.map((each) => [lotKey(each), each.amount])),
      ...(await readReports(database)),
    };
  });
  const ledgers = new Map(
    await pLimit(concurrency).map(
      participants.accounts,
      async ({ id, credentials }) =>
        /** @type {const} */ ([accountUuid(id), await ledgerOf(paperExchangeUrl, credentials)]),
    ),
  );
  const markets = await marketsOf(paperExchangeUrl, participants.accounts[0]?.tradingType);
  return findUnfinishedExits({ ...record, ledgers, markets, until });
}

/**
 * @template T
 * @param {string} connectionString
 * @param {(database: pg.Pool) => Promise<T>} read
 */
async function withDatabase(connectionString, read) {
  const database = new pg.Pool({ connectionString, max: concurrency });
  try {
    return await read(database);
  } finally {
    await database.end();
  }
}
