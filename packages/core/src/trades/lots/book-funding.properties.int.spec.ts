/**
 * Compares the funding of lots with an independent model. Fills and payments are stored in any order, so that fills rewind
 * the book behind payments that are booked already.
 */
import { inTransaction, newUuid } from '@trading-automation/persistence';
import fc from 'fast-check';
import { CoreUnderTest } from '../../testing/index.js';
import { bookPayments } from './book-funding.js';
import { lockBooks } from './book-trades.js';
import { FillScenario } from './testing/fill-scenario.js';

let core: CoreUnderTest;
let pairId: string;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  pairId = (await core.pair({ symbol: 'BTC/USDT:USDT', trading_type: 'perpetual' })).uuid;
});
afterAll(() => core.close());

interface Change {
  readonly kind: 'BUY' | 'SELL' | 'FUNDING';
  /** Of a fill: the amount. Of a payment: its amount in units of 10^-18; the sign alternates. */
  readonly size: number;
  readonly second: number;
  /** The order in which the changes are stored. */
  readonly rank: number;
}

const changes = fc
  .array(
    fc.record({
      kind: fc.constantFrom('BUY' as const, 'SELL' as const, 'FUNDING' as const),
      size: fc.integer({ min: 1, max: 7 }),
      gap: fc.integer({ min: 0, max: 2 }),
      rank: fc.nat(100),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((generated) => {
    let second = 0;
    return generated.map(({ gap, ...change }): Change => {
      second += gap;
      return { ...change, second };
    });
  });

/** Returns, by lot and payment, the parts in units, from single units of base that are opened and closed in turn. */
function modelParts(entries: readonly (Change & { readonly id: string })[]): ReadonlyMap<string, number> {
  const fills = entries
    .filter(({ kind }) => kind !== 'FUNDING')
    .toSorted((a, b) => a.second - b.second || (a.id < b.id ? -1 : 1));
  const parts = new Map<string, number>();
  for (const payment of entries.filter(({ kind }) => kind === 'FUNDING')) {
    let units: { readonly lot: string; readonly side: string }[] = [];
    for (const { id, kind, size } of fills.filter(({ second }) => second < payment.second)) {
      for (let i = 0; i < size; i++) {
        if (units.length > 0 && units[0]!.side !== kind) units = units.slice(1);
        else units.push({ lot: id, side: kind });
      }
    }
    const lots = [...new Set(units.map(({ lot }) => lot))];
    const total = signedSize(payment);
    let rest = total;
    for (const [i, lot] of lots.entries()) {
      const held = units.filter((unit) => unit.lot === lot).length;
      // Adding 0 turns -0 into 0.
      const part = i === lots.length - 1 ? rest : Math.trunc((total * held) / units.length) + 0;
      rest -= part;
      parts.set(`${lot} ${payment.id}`, part);
    }
  }
  return parts;
}

const signedSize = ({ size }: Change) => (size % 2 === 0 ? -size : size);
const decimalOf = (units: number) => `${units < 0 ? '-' : ''}0.${String(Math.abs(units)).padStart(18, '0')}`;

async function storePayment(scenario: FillScenario, { id, ...payment }: Change & { readonly id: string }) {
  const at = FillScenario.at(payment.second);
  const amount = decimalOf(signedSize(payment));
  const key = scenario.key;
  await inTransaction(core.platform.database, async (tx) => {
    await lockBooks(tx, [key]);
    await tx.query(
      `INSERT INTO funding_payments (id, user_id, exchange_account_id, trade_pair_id, symbol, venue_payment_id, amount,
         currency, paid_at) VALUES ($1, $2, $3, $4, 'BTC/USDT:USDT', $1::uuid::text, $5, 'USDT', $6)`,
      [id, scenario.actor.userId, key.exchangeAccountId, key.tradePairId, amount, at],
    );
    await bookPayments(tx, [id]);
  });
}

it('the funding of lots equals the model, in whatever order fills and payments are stored', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (generated) => {
      const scenario = await FillScenario.begin(core, pairId);
      const entries = generated.map((change) => ({ ...change, id: newUuid() }));
      for (const entry of entries.toSorted((a, b) => a.rank - b.rank)) {
        if (entry.kind === 'FUNDING') await storePayment(scenario, entry);
        else {
          const tradeId = await scenario.trade({ side: entry.kind });
          await scenario.store({ id: entry.id, tradeId, amount: String(entry.size), at: entry.second });
        }
      }
      const stored = await core.rows(
        `SELECT lot_id, source_id, (amount * 1e18)::bigint::int AS units FROM lot_funding
         WHERE exchange_account_id = $1`,
        scenario.accountId,
      );
      expect(new Map(stored.map((row) => [`${row.lot_id} ${row.source_id}`, row.units]))).toEqual(
        modelParts(entries),
      );
    }),
    { numRuns: 60 },
  );
}, 120_000);
