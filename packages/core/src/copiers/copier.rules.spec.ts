import { copierUpdate } from '@trading-automation/contracts';
import fc from 'fast-check';
import { conflictingPairs, copierColumns, hasCapacity, ownAccountErrors } from './copier.rules.js';

describe('allowed and blocked pairs', () => {
  it('conflict in exactly the symbols that are in both lists', () => {
    const lists = fc.option(fc.array(fc.constantFrom('A/B', 'C/D', 'E/F')), { nil: null });
    fc.assert(
      fc.property(lists, lists, (allowedPairs, blockedPairs) => {
        const conflicts = conflictingPairs({ allowedPairs, blockedPairs });
        const shared = (blockedPairs ?? []).filter((symbol) => allowedPairs?.includes(symbol) ?? false);
        expect(new Set(conflicts)).toEqual(new Set(shared));
        expect(conflicts).toHaveLength(new Set(shared).size);
      }),
    );
  });
});

describe('the account of the strategy', () => {
  it('causes an error for every copier on that account, with the field of the request', () => {
    const link = (field: string, exchangeAccountId: string) => ({ field, copier: { exchangeAccountId } });
    const links = [link('copier_ids.0', 'a'), link('copier_ids.1', 'b'), link('copier_ids.2', 'a')];
    expect(ownAccountErrors(new Set(['a']), links).map(({ field }) => field)).toEqual([
      'copier_ids.0',
      'copier_ids.2',
    ]);
    expect(ownAccountErrors(new Set(['c']), links)).toEqual([]);
  });
});

describe('the capacity of a strategy', () => {
  it.each([
    [null, 1_000_000, 1, true],
    [3, 2, 1, true],
    [3, 2, 2, false],
    [3, 5, 0, false],
  ])('of %p, with %p linked copiers, has room for %p more: %p', (capacity, linked, more, expected) => {
    expect(hasCapacity(capacity, linked, more)).toBe(expected);
  });
});

describe('the columns of an update', () => {
  it('contain only the settings in the input', () => {
    expect(copierColumns(copierUpdate.parse({}))).toEqual({});
    expect(copierColumns(copierUpdate.parse({ limits: { max_open_quote: null, max_leverage: 3 } }))).toEqual({
      maxOpenQuote: null,
      maxLeverage: '3',
    });
  });

  it('contain the whole sizing if the input has a sizing', () => {
    const sizing = { mode: 'FIXED_QUOTE', value: 10 };
    expect(copierColumns(copierUpdate.parse({ sizing }))).toEqual({
      sizingMode: 'FIXED_QUOTE',
      sizingValue: '10',
      sizingCapital: null,
    });
  });

  it('contain each pair and side once', () => {
    const limits = { allowed_pairs: ['A/B', 'C/D', 'A/B'], allowed_sides: ['BUY', 'BUY'] };
    expect(copierColumns(copierUpdate.parse({ limits }))).toEqual({
      allowedPairs: ['A/B', 'C/D'],
      allowedSides: ['BUY'],
    });
  });
});
