import { type CopierOverrides, copierUpdate, type SizingMode } from '@trading-automation/contracts';
import fc from 'fast-check';
import {
  type CopierLink,
  conflictingPairs,
  copierColumns,
  hasCapacity,
  multiplierErrors,
  multiplierFields,
  overrideColumns,
  ownAccountErrors,
  type SizingModes,
} from './copier.rules.js';

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
    const error = {
      code: 'own_account',
      message:
        'A copier cannot use the account that its strategy trades on. Choose another exchange account.',
    };
    expect(ownAccountErrors(new Set(['a']), links)).toEqual([
      { field: 'copier_ids.0', ...error },
      { field: 'copier_ids.2', ...error },
    ]);
    expect(ownAccountErrors(new Set(['c']), links)).toEqual([]);
  });
});

describe('the sizing mode MULTIPLIER', () => {
  const link = (copier: Partial<CopierLink['copier']>, sizingField?: string): CopierLink => ({
    field: 'copier_id',
    ...(sizingField === undefined ? {} : { sizingField }),
    copier: { exchangeAccountId: 'a', userId: 'other', sizingMode: 'MULTIPLIER', overrides: {}, ...copier },
  });
  const links = [
    link({}),
    link({}, 'sizing.mode'),
    link({ userId: 'owner' }),
    link({ sizingMode: 'FIXED_QUOTE' }),
  ];

  it('causes one error for each field that has it, overrides included', () => {
    const overrides = {
      'A/B': { sizing: { mode: 'MULTIPLIER' as const, value: '1' } },
      'C/D': { sizing: { mode: 'FIXED_QUOTE' as const, value: '1' } },
      'E/F': { limits: {} },
    };
    const strategy = { userId: 'owner', allowMultiplier: false };
    const fieldsOf = (more: Partial<CopierLink>, copier: Partial<CopierLink['copier']>) =>
      multiplierErrors(strategy, [{ ...link({ overrides, ...copier }), ...more }]).map(({ field }) => field);
    expect(fieldsOf({}, {})).toEqual(['copier_id']);
    expect(fieldsOf({ overridesField: 'overrides' }, {})).toEqual(['copier_id', 'overrides.A/B.sizing.mode']);
    expect(fieldsOf({}, { sizingMode: 'FIXED_QUOTE' })).toEqual(['copier_id']);
    expect(fieldsOf({}, { userId: 'owner' })).toEqual([]);
  });

  it('is new for the copier, or for a pair, if that had another mode before', () => {
    const [multiplied, fixed] = [
      { sizing: { mode: 'MULTIPLIER' as const, value: '1' } },
      { sizing: { mode: 'FIXED_QUOTE' as const, value: '1' } },
    ];
    const fieldsOf = (kept: SizingModes, changed: SizingModes) =>
      multiplierFields({ ...link(changed, 'sizing.mode'), overridesField: 'overrides', kept });
    const modes = (sizingMode: SizingMode, overrides: CopierOverrides = {}) => ({ sizingMode, overrides });
    const onePair = modes('FIXED_QUOTE', { 'A/B': multiplied });
    expect(fieldsOf(onePair, onePair)).toEqual([]);
    expect(fieldsOf(onePair, modes('FIXED_QUOTE'))).toEqual([]);
    expect(fieldsOf(onePair, modes('MULTIPLIER', onePair.overrides))).toEqual(['sizing.mode']);
    expect(fieldsOf(onePair, modes('FIXED_QUOTE', { 'A/B': multiplied, 'C/D': multiplied }))).toEqual([
      'overrides.C/D.sizing.mode',
    ]);
    const mostPairs = modes('MULTIPLIER', { 'A/B': fixed, 'C/D': { limits: {} } });
    expect(fieldsOf(mostPairs, mostPairs)).toEqual([]);
    expect(fieldsOf(mostPairs, modes('FIXED_QUOTE', { 'C/D': multiplied, 'E/F': multiplied }))).toEqual([]);
    expect(fieldsOf(mostPairs, modes('MULTIPLIER', { 'A/B': multiplied }))).toEqual([
      'overrides.A/B.sizing.mode',
    ]);
    expect(fieldsOf(mostPairs, modes('MULTIPLIER'))).toEqual(['overrides.A/B.sizing.mode']);
    expect(fieldsOf(modes('FIXED_QUOTE', { 'A/B': { limits: {} } }), modes('MULTIPLIER'))).toEqual([
      'sizing.mode',
    ]);
  });

  it('causes an error for copiers of other users, at the field of the mode if the request has it', () => {
    const error = {
      code: 'multiplier_not_allowed',
      message:
        "The strategy's owner does not allow the sizing mode MULTIPLIER. Use FIXED_AMOUNT, FIXED_QUOTE or EQUITY_RATIO.",
    };
    expect(multiplierErrors({ userId: 'owner', allowMultiplier: false }, links)).toEqual([
      { field: 'copier_id', ...error },
      { field: 'sizing.mode', ...error },
    ]);
  });

  it('causes no error if the strategy allows it', () => {
    expect(multiplierErrors({ userId: 'owner', allowMultiplier: true }, links)).toEqual([]);
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

  it('contain every setting under its own name', () => {
    const limits = {
      max_trade_quote: '1',
      max_open_quote: '2',
      max_open_trades: 3,
      max_daily_loss_quote: '4',
      max_drawdown_percent: '5',
      max_slippage_bps: 6,
      max_signal_age_ms: 7_000,
      max_leverage: 8,
      allowed_pairs: null,
      blocked_pairs: ['A/B', 'A/B'],
      allowed_sides: null,
    };
    const update = {
      name: 'n',
      on_breach: 'PAUSE',
      below_minimum: 'SKIP',
      copy_existing: true,
      sizing: { mode: 'EQUITY_RATIO', value: 1, capital: 100 },
      limits,
    };
    expect(copierColumns(update as unknown as Parameters<typeof copierColumns>[0])).toEqual({
      name: 'n',
      onBreach: 'PAUSE',
      belowMinimum: 'SKIP',
      copyExisting: true,
      sizingMode: 'EQUITY_RATIO',
      sizingValue: 1,
      sizingCapital: 100,
      maxTradeQuote: '1',
      maxOpenQuote: '2',
      maxOpenTrades: 3,
      maxDailyLossQuote: '4',
      maxDrawdownPercent: '5',
      maxSlippageBps: 6,
      maxSignalAgeMs: 7_000,
      maxLeverage: 8,
      allowedPairs: null,
      blockedPairs: ['A/B'],
      allowedSides: null,
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

describe('an override', () => {
  it('replaces the sizing as a whole and each limit that it has', () => {
    expect(overrideColumns({ limits: { max_trade_quote: '5', max_slippage_bps: 3 } })).toEqual({
      maxTradeQuote: '5',
      maxSlippageBps: 3,
    });
    expect(overrideColumns({ sizing: { mode: 'FIXED_QUOTE', value: '9' } })).toEqual({
      sizingMode: 'FIXED_QUOTE',
      sizingValue: '9',
      sizingCapital: null,
    });
  });
});
