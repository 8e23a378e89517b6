/**
 * Books funding payments and interest charges to lots.
 *
 * 1. A payment belongs to the lots of its account and pair that were open just before it, in proportion to their open
 *    amount. Interest belongs to the lots that owe the loan (`loanOwners`), of all pairs of the account.
 * 2. The parts of a payment add up to it. Without an open lot it has no part, and belongs to the account alone.
 * 3. What is booked always equals a booking with the current lots: fills that are executed before a payment and stored
 *    after it, late ones included, book the payment again in their own transaction.
 * 4. The caller holds the locks of the lot books, so that no lot changes meanwhile.
 */
import type { TradingType } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import {
  type ChangedBook,
  type ChargeToBook,
  deleteLotFunding,
  insertLotFunding,
  lockChargesSince,
  lotsOpenAtCharges,
  lotsOpenAtPayments,
  type NewLotFunding,
  type PaymentToBook,
  paymentsSince,
  storeChargeValues,
} from './funding.queries.js';
import { divideAmongLots, loanOwners, negated, type OwingLot, valueAt } from './funding.rules.js';

export type { ChargeToBook, PaymentToBook } from './funding.queries.js';

/** Books payments and replaces what was booked of them. */
export async function bookPayments(tx: Tx, payments: readonly PaymentToBook[]): Promise<void> {
  if (payments.length === 0) return;
  const lotsOf = bySource(await lotsOpenAtPayments(tx, payments));
  await replaceParts(
    tx,
    payments,
    payments.flatMap((payment) =>
      divideAmongLots(payment.amount, lotsOf.get(payment.id) ?? []).map((part) => ({
        ...keyOf(payment),
        tradePairId: payment.tradePairId,
        ...part,
      })),
    ),
  );
}

/** Books charges, which the caller has locked or just inserted, and replaces what was booked of them. */
export async function bookCharges(tx: Tx, charges: readonly ChargeToBook[]): Promise<void> {
  if (charges.length === 0) return;
  const lotsOf = bySource(await lotsOpenAtCharges(tx, charges));
  const booked = charges.map((charge) => bookCharge(charge, lotsOf.get(charge.id) ?? []));
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
  if (margin.length > 0) await bookCharges(tx, await lockChargesSince(tx, margin));
}

interface BookedCharge {
  /** The value of the charge if it had none. */
  readonly value: { readonly id: string; readonly value: string; readonly currency: string } | null;
  readonly parts: readonly NewLotFunding[];
}

function bookCharge(charge: ChargeToBook, lots: readonly OwingLot[]): BookedCharge {
  const owners = loanOwners(charge.asset, lots, charge.currency);
  if (owners === null) return { value: null, parts: [] };
  const value = charge.value ?? (owners.price === null ? null : valueAt(charge.amount, owners.price));
  if (value === null) return { value: null, parts: [] };
  const pairOf = new Map(owners.lots.map(({ lotId, tradePairId }) => [lotId, tradePairId]));
  return {
    value: charge.value === null ? { id: charge.id, value, currency: owners.currency } : null,
    parts: divideAmongLots(negated(value), owners.lots).map((part) => ({
      ...keyOf(charge),
      tradePairId: pairOf.get(part.lotId)!,
      ...part,
    })),
  };
}

async function replaceParts(
  tx: Tx,
  sources: readonly { readonly id: string }[],
  parts: readonly NewLotFunding[],
): Promise<void> {
  await deleteLotFunding(
    tx,
    sources.map(({ id }) => id),
  );
  await insertLotFunding(tx, parts);
}

const keyOf = ({ id, userId, exchangeAccountId, at }: PaymentToBook | ChargeToBook) => ({
  sourceId: id,
  userId,
  exchangeAccountId,
  at,
});

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
