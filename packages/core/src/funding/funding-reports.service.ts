/**
 * Stores the funding payments and interest charges that exchanges report, and books them to lots.
 *
 * 1. A record of the exchange is stored once for each connection of the account there, however often it is read. It is
 *    booked once, and reported once to each user.
 * 2. A payment, its parts of lots and the event `funding.paid` are committed together.
 */
import { fundingPayment as fundingPaymentSchema } from '@trading-automation/contracts';
import type { FundingPayment, InterestCharge } from '@trading-automation/exchanges';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { emitEvents } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { bookCharges, bookPayments, lockBooks } from '../trades/index.js';
import {
  booksOf,
  type FundedAccount,
  insertCharges,
  insertPayments,
  marginBooksOf,
  perpetualPairs,
  readFundedAccount,
  storedPayments,
} from './funding.queries.js';
import { viewFundingPayment } from './funding.view.js';

/** The number of records that one transaction stores. */
const BATCH_SIZE = 200;

export class FundingReports {
  constructor(private readonly platform: Platform) {}

  /** Stores the payments that are not stored yet, and returns their number. */
  storePayments(accountId: string, payments: readonly FundingPayment[]): Promise<number> {
    return this.inBatches(accountId, payments, storePayments);
  }

  /** Stores the charges that are not stored yet, and returns their number. */
  storeCharges(accountId: string, charges: readonly InterestCharge[]): Promise<number> {
    return this.inBatches(accountId, charges, storeCharges);
  }

  private async inBatches<Item>(
    accountId: string,
    items: readonly Item[],
    store: (tx: Tx, account: FundedAccount, batch: readonly Item[]) => Promise<number>,
  ): Promise<number> {
    const { database } = this.platform;
    const account = await readFundedAccount(database.manager, accountId);
    if (account === undefined) return 0;
    let stored = 0;
    for (let start = 0; start < items.length; start += BATCH_SIZE) {
      const batch = items.slice(start, start + BATCH_SIZE);
      stored += await inTransaction(database, (tx) => store(tx, account, batch));
    }
    return stored;
  }
}

async function storePayments(
  tx: Tx,
  account: FundedAccount,
  reported: readonly FundingPayment[],
): Promise<number> {
  // Most reads repeat known payments. They need no lock of a lot book.
  const known = await storedPayments(
    tx,
    account.id,
    reported.map(({ id }) => id),
  );
  const payments = reported.filter(({ id }) => !known.has(id));
  if (payments.length === 0) return 0;
  const pairs = await perpetualPairs(
    tx,
    account.exchange,
    payments.map(({ symbol }) => symbol),
  );
  await lockBooks(tx, await booksOf(tx, account.id, [...new Set(pairs.values())]));
  const inserted = await insertPayments(tx, account, payments, pairs);
  await bookPayments(
    tx,
    inserted.map(({ id }) => id),
  );
  await emitEvents(
    tx,
    inserted
      .filter(({ isRepeated }) => !isRepeated)
      .map((row) => ({
        userId: row.userId,
        type: 'funding.paid' as const,
        schema: fundingPaymentSchema,
        record: viewFundingPayment(row),
      })),
  );
  return inserted.length;
}

async function storeCharges(
  tx: Tx,
  account: FundedAccount,
  charges: readonly InterestCharge[],
): Promise<number> {
  const assets = [...new Set(charges.map(({ asset }) => asset))];
  await lockBooks(tx, await marginBooksOf(tx, account.id, assets));
  const inserted = await insertCharges(tx, account, charges);
  await bookCharges(tx, inserted);
  return inserted.length;
}
