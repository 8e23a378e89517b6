/**
 * Books funding payments and interest charges to lots.
 *
 * 1. A payment belongs to the lots of its account and pair that were open just before it, in proportion to their open
 *    amount. Interest belongs to the lots that owe the loan (`loanOwners`), of all pairs of the account. If an account at
 *    the exchange is connected several times, the lots of all its connections take part, those that several connections
 *    have of the same orders once (`withoutRepeatedLots`), and the first record is booked.
 * 2. The parts of a payment add up to it. Without an open lot it has no part, and belongs to the account alone.
 * 3. What is booked always equals a booking with the current lots: fills that are executed before a payment and stored
 *    after it, late ones included, book the payment again in their own transaction.
 * 4. No lot changes meanwhile. Who stores a record holds the locks of the books of all connections. Who stores fills holds
 *    those of the changed books, and waits for the lock of the record.
 */
import type { Decimal, TradingType } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import {
  type ChangedBook,
  type ChargeToBook,
  chargesSince,
  deleteLotFunding,
  insertLotFunding,
  type LotOwner,
  lockCharges,
  lockPayments,
  lotsOpenAtCharges,
  lotsOpenAtPayments,
  markResults,
  type NewLotFunding,
  type PaymentToBook,
  paymentsSince,
  storeChargeValues,
} from './funding.queries.js';
import {
  divideAmongLots,
  type LotWeight,
  loanOwners,
  negated,
  type OwingLot,
  valueAt,
  withoutRepeatedLots,
} from './funding.rules.js';

/** Books the payments with these records, and replaces what was booked of them. */
export async function bookPayments(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const payments = await lockPayments(tx, ids);
  if (payments.length === 0) return;
  const lotsOf = bySource(await lotsOpenAtPayments(tx, payments));
  await replaceParts(
    tx,
    payments,
    payments.flatMap((payment) => {
      const lots = withoutRepeatedLots(lotsOf.get(payment.id) ?? [], payment.readers);
      return partsOf(payment, payment.amount, lots, lots).map((part) => ({
        ...part,
        tradePairId: payment.tradePairId,
      }));
    }),
  );
}

/** Books the charges with these records, and replaces what was booked of them. */
export async function bookCharges(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const charges = await lockCharges(tx, ids);
  const lotsOf = bySource(await lotsOpenAtCharges(tx, charges));
  const booked = charges.map((charge) =>
    bookCharge(charge, withoutRepeatedLots(lotsOf.get(charge.id) ?? [], charge.readers)),
  );
  await storeChargeValues(
    tx,
    booked.flatMap(({ value }) => (value === null ? [] : [value])),
  );
  await replaceParts(
    tx,
    charges,
    booked.flatMap(({ parts }) => parts),
  );
}

/** Books again what was paid or charged after the lots of these books changed. */
export async function rebookFunding(
  tx: Tx,
  books: readonly (ChangedBook & { readonly tradingType: TradingType })[],
): Promise<void> {
  const perpetual = books.filter(({ tradingType }) => tradingType === 'perpetual');
  const margin = books.filter(({ tradingType }) => tradingType === 'margin');
  if (perpetual.length > 0) await bookPayments(tx, await paymentsSince(tx, perpetual));
  if (margin.length > 0) await bookCharges(tx, await chargesSince(tx, margin));
}

interface BookedCharge {
  /** The value of the charge if it had none. */
  readonly value: { readonly id: string; readonly value: string; readonly currency: string } | null;
  readonly parts: readonly NewLotFunding[];
}

function bookCharge(charge: ChargeToBook, lots: readonly (OwingLot & LotOwner)[]): BookedCharge {
  const owners = loanOwners(charge.asset, lots, charge.currency);
  if (owners === null) return { value: null, parts: [] };
  const value = charge.value ?? (owners.price === null ? null : valueAt(charge.amount, owners.price));
  if (value === null) return { value: null, parts: [] };
  const pairOf = new Map(owners.lots.map(({ lotId, tradePairId }) => [lotId, tradePairId]));
  return {
    value: charge.value === null ? { id: charge.id, value, currency: owners.currency } : null,
    parts: partsOf(charge, negated(value), owners.lots, lots).map((part) => ({
      ...part,
      tradePairId: pairOf.get(part.lotId)!,
    })),
  };
}

/** Divides an amount among lots. A part belongs to the account of its lot, which another connection may have opened. */
function partsOf(
  { id, at }: PaymentToBook | ChargeToBook,
  amount: Decimal,
  weights: readonly LotWeight[],
  lots: readonly LotOwner[],
): readonly Omit<NewLotFunding, 'tradePairId'>[] {
  const ownerOf = new Map(lots.map((lot) => [lot.lotId, lot]));
  return divideAmongLots(amount, weights).map((part) => {
    const { userId, exchangeAccountId } = ownerOf.get(part.lotId)!;
    return { ...part, sourceId: id, userId, exchangeAccountId, at };
  });
}

async function replaceParts(
  tx: Tx,
  sources: readonly (PaymentToBook | ChargeToBook)[],
  parts: readonly NewLotFunding[],
): Promise<void> {
  await deleteLotFunding(
    tx,
    sources.flatMap(({ recordIds }) => recordIds),
  );
  await insertLotFunding(tx, parts);
  // A payment without a part counts for its reader. Parts of lots mark the results of the lots' users alone, also if a fill
  // of another user's connection takes the part before that connection stored a record.
  await markResults(tx, sources);
}

function bySource<Row extends { readonly sourceId: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.sourceId);
    if (group === undefined) groups.set(row.sourceId, [row]);
    else group.push(row);
  }
  return groups;
}
