import type { TradeSide } from '@trading-automation/contracts';
import fc from 'fast-check';

/** A fill with an integer amount, of one of several copiers or of no copier. */
export interface GeneratedFill {
  readonly side: TradeSide;
  readonly amount: number;
  readonly price: number;
  /** Deducted from the amount bought, in base currency. */
  readonly baseFee: number;
  /** The index of the copier; -1 if the fill is not of a copy. */
  readonly copier: number;
  /** The index of the leader's lot that the fill copies. */
  readonly source: number;
  /** The second of execution since the start of the test. */
  readonly second: number;
}

/** Generates fills in order of execution; several fills may have the same second. */
export const generatedFills = (maxLength: number) =>
  fc
    .array(
      fc.record({
        side: fc.constantFrom('BUY' as const, 'BUY' as const, 'SELL' as const),
        amount: fc.integer({ min: 1, max: 6 }),
        price: fc.integer({ min: 1, max: 500 }),
        baseFee: fc.integer({ min: 0, max: 1 }),
        copier: fc.integer({ min: -1, max: 2 }),
        source: fc.integer({ min: 0, max: 1 }),
        gap: fc.integer({ min: 0, max: 2 }),
      }),
      { maxLength },
    )
    .map((generated) => {
      let second = 0;
      return generated.map(({ gap, ...fill }): GeneratedFill => {
        second += gap;
        return { ...fill, second };
      });
    });

interface Unit {
  readonly copier: number;
  readonly source: number;
}

/**
 * A naive model of an account without short lots: counts the single units of base that each owner holds. The owner is
 * `own` for lots of no copier, otherwise `copier/source`.
 */
export function modelHoldings(fills: readonly GeneratedFill[]) {
  const units: Unit[] = [];
  let unmatched = 0;
  for (const { side, amount, baseFee, copier, source } of fills) {
    if (side === 'BUY') {
      for (let i = 0; i < amount - baseFee; i++) units.push({ copier, source });
      continue;
    }
    for (let i = 0; i < amount; i++) {
      const preferredIndex = units.findIndex(
        (unit) => unit.copier === copier && (copier < 0 || unit.source === source),
      );
      const fallbackIndex = units.findIndex((unit) =>
        copier < 0 ? unit.copier >= 0 : unit.copier === copier,
      );
      const soldIndex = preferredIndex >= 0 ? preferredIndex : fallbackIndex;
      if (soldIndex < 0) unmatched += 1;
      else units.splice(soldIndex, 1);
    }
  }
  const held = new Map<string, number>();
  for (const { copier, source } of units) {
    const owner = copier < 0 ? 'own' : `${copier}/${source}`;
    held.set(owner, (held.get(owner) ?? 0) + 1);
  }
  return { held, total: units.length, unmatched };
}
