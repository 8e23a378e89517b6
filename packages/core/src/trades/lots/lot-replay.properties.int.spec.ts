/**
 * Compares random fills with a naive lot model. The fills belong to several copiers or to none, and they are reported
 * late, twice and in any order.
 */
import { newUuid } from '@trading-automation/persistence';
import fc from 'fast-check';
import { signalsAfter } from '../../strategies/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { backfillLots } from './backfill-lots.js';
import { FillScenario, type FillSpec } from './testing/fill-scenario.js';
import { type GeneratedFill, generatedFills, modelHoldings } from './testing/naive-lot-model.js';

let core: CoreUnderTest;
let pairId: string;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  pairId = (await core.pair()).uuid;
});
afterAll(() => core.close());

/**
 * The fills and how they are reported: `delays` says by how many places a fill is reported late, `cuts` after which
 * fills a report ends, and `repeats` whether this report is repeated.
 */
const reportSequences = generatedFills(14).chain((generated) =>
  fc.record({
    generated: fc.constant(generated),
    delays: fc.array(fc.nat(6), { minLength: generated.length, maxLength: generated.length }),
    cuts: fc.array(fc.boolean(), { minLength: generated.length, maxLength: generated.length }),
    repeats: fc.array(fc.boolean(), { minLength: generated.length, maxLength: generated.length }),
  }),
);

/** A late fill undoes the closure of a part of a lot. The lot's value had a fraction and is a whole number again. */
const RESTORED_VALUE = {
  generated: [
    ['SELL', 3, 91, 0, 0, 1, 0],
    ['BUY', 5, 402, 1, 2, 0, 2],
    ['BUY', 1, 340, 0, 2, 1, 3],
    ['BUY', 3, 225, 0, 0, 1, 5],
    ['BUY', 4, 33, 1, -1, 0, 7],
    ['SELL', 1, 311, 1, 2, 1, 9],
    ['SELL', 4, 136, 1, 1, 0, 10],
    ['BUY', 5, 381, 0, 0, 0, 10],
  ].map(
    ([side, amount, price, baseFee, copier, source, second]) =>
      ({ side, amount, price, baseFee, copier, source, second }) as GeneratedFill,
  ),
  delays: [0, 0, 5, 0, 0, 0, 0, 0],
  cuts: Array.from({ length: 8 }, (_, i) => i === 5),
  repeats: Array.from({ length: 8 }, () => false),
};

/**
 * A purchase is reported after its sale. Then an earlier purchase is reported, and the sale closes that one instead.
 */
const REOPENED_LOT = {
  generated: (['BUY', 'BUY', 'SELL'] as const).map((side, second) => ({
    side,
    amount: 5,
    price: 100,
    baseFee: 0,
    copier: -1,
    source: 0,
    second,
  })),
  delays: [4, 2, 0],
  cuts: [true, true, true],
  repeats: [false, false, false],
};

async function createScenario() {
  const scenario = await FillScenario.begin(core, pairId);
  const strategyId = await scenario.strategy();
  const copiers = [
    await scenario.copier(strategyId),
    await scenario.copier(strategyId),
    await scenario.copier(strategyId),
  ];
  const sources = [await scenario.trade({ side: 'BUY' }), await scenario.trade({ side: 'BUY' })];
  const fillOf = async ({ side, amount, price, baseFee, copier, source, second }: GeneratedFill) => {
    const owner =
      copier < 0
        ? { strategyId }
        : { copierId: copiers[copier]!, copiedStrategyId: strategyId, sourceTradeId: sources[source]! };
    const fill: FillSpec = {
      tradeId: await scenario.trade({ side, ...owner }),
      id: newUuid(),
      amount: String(amount),
      price: String(price),
      fee: String(side === 'BUY' ? baseFee : 0),
      feeCurrency: 'BTC',
      at: second,
    };
    return fill;
  };
  return { scenario, strategyId, copiers, sources, fillOf };
}

it('fills reported late, twice and in any order lead to the state of a replay and of the naive model', async () => {
  await fc.assert(
    fc.asyncProperty(reportSequences, async ({ generated, delays, cuts, repeats }) => {
      const { scenario, strategyId, copiers, sources, fillOf } = await createScenario();
      const fills: FillSpec[] = [];
      for (const each of generated) fills.push(await fillOf(each));
      const inReportOrder = fills
        .map((fill, i) => ({ fill, at: i + delays[i]! }))
        .sort((a, b) => a.at - b.at)
        .map(({ fill }) => fill);
      let report: FillSpec[] = [];
      for (const [i, fill] of inReportOrder.entries()) {
        report.push(fill);
        if (!cuts[i]) continue;
        await scenario.store(...report);
        if (repeats[i]) await scenario.store(...report);
        report = [];
      }
      await scenario.store(...report);

      const stored = await scenario.storedState();
      const held = new Map<string, number>();
      for (const { copier_id, source_trade_id, open_amount } of stored.lots) {
        if (Number(open_amount) === 0) continue;
        const owner =
          copier_id === null
            ? 'own'
            : `${copiers.indexOf(String(copier_id))}/${sources.indexOf(String(source_trade_id))}`;
        held.set(owner, (held.get(owner) ?? 0) + Number(open_amount));
      }
      expect(held).toEqual(modelHoldings(generated).held);

      const signals = await signalsAfter(core.platform.database.manager, strategyId, 0, 1_000);
      expect(signals.map(({ sequence }) => sequence)).toEqual(signals.map((_, i) => i + 1));
      const emittedAmounts = new Map(
        signals.map((signal) => [signal.lotTradeId, Number(signal.lotAmountAfter)]),
      );
      for (const [tradeId, amount] of emittedAmounts) {
        const open = stored.lots
          .filter((lot) => lot.trade_id === tradeId)
          .reduce((sum, lot) => sum + Number(lot.open_amount), 0);
        // A copier that follows the signals never holds more of a lot than the leader.
        expect(amount).toBeLessThanOrEqual(open);
      }

      const heldByLeader = stored.lots.filter((lot) => lot.copier_id === null && Number(lot.open_amount) > 0);
      expect(heldByLeader.filter((lot) => !emittedAmounts.has(String(lot.trade_id)))).toEqual([]);

      await scenario.deleteLots();
      await backfillLots(core.platform);
      expect(await scenario.storedState()).toEqual(stored);
    }),
    { numRuns: 40, examples: [[RESTORED_VALUE], [REOPENED_LOT]] },
  );
}, 120_000);
