import type {
  CopierCreate,
  CopierOverride,
  CopierOverrides,
  CopierUpdate,
  ErrorDetail,
  SizingMode,
} from '@trading-automation/contracts';

export interface PairLists {
  readonly allowedPairs: readonly string[] | null;
  readonly blockedPairs: readonly string[] | null;
}

/** Returns the symbols that are both allowed and blocked. Such settings are ambiguous and are rejected. */
export function conflictingPairs({ allowedPairs, blockedPairs }: PairLists): string[] {
  const allowed = new Set(allowedPairs ?? []);
  return [...new Set(blockedPairs ?? [])].filter((symbol) => allowed.has(symbol));
}

/** The account of a copier, and the field of the request body that an error about it names. */
export interface AccountLink {
  readonly field: string;
  readonly copier: { readonly exchangeAccountId: string };
}

/** A copier that a request links to a strategy. */
export interface CopierLink extends AccountLink {
  /** The field that contains the sizing mode, if the request has it. */
  readonly sizingField?: string;
  /** The field that contains the overrides, if the request has it. */
  readonly overridesField?: string;
  /** The sizing modes that the copier already has with the strategy. It may keep them. */
  readonly kept?: SizingModes;
  readonly copier: SizingModes & {
    readonly exchangeAccountId: string;
    readonly userId: string;
  };
}

/** The sizing mode of a copier, and those of single pairs. */
export interface SizingModes {
  readonly sizingMode: SizingMode;
  readonly overrides: CopierOverrides;
}

/**
 * Returns an error for each copier that trades on one of the strategy's own accounts. Its copies would become signals
 * of the strategy and would be copied again, endlessly.
 *
 * @param ownAccounts - the strategy's account and its duplicate connections
 */
export function ownAccountErrors(
  ownAccounts: ReadonlySet<string>,
  links: readonly AccountLink[],
): ErrorDetail[] {
  return links
    .filter(({ copier }) => ownAccounts.has(copier.exchangeAccountId))
    .map(({ field }) => ({
      field,
      code: 'own_account',
      message:
        'A copier cannot use the account that its strategy trades on. Choose another exchange account.',
    }));
}

/**
 * Returns an error for each new sizing mode MULTIPLIER of a copier of another user, unless the strategy allows it: its
 * sizes show the amounts of the strategy's account.
 */
export function multiplierErrors(
  strategy: { readonly userId: string; readonly allowMultiplier: boolean },
  links: readonly CopierLink[],
): ErrorDetail[] {
  if (strategy.allowMultiplier) return [];
  return links
    .filter(({ copier }) => copier.userId !== strategy.userId)
    .flatMap((link) => [...new Set(multiplierFields(link))])
    .map((field) => ({
      field,
      code: 'multiplier_not_allowed',
      message:
        "The strategy's owner does not allow the sizing mode MULTIPLIER. Use FIXED_AMOUNT, FIXED_QUOTE or EQUITY_RATIO.",
    }));
}

/**
 * Returns the fields with which a request introduces the mode MULTIPLIER: for the copier, and for each pair. A pair without a
 * sizing of its own has the copier's, so it can also be introduced by the removal of an override.
 */
export function multiplierFields({ field, sizingField, overridesField, kept, copier }: CopierLink): string[] {
  const isNew = isNewMultiplier(copier.sizingMode, kept?.sizingMode);
  const isIntroduced = (symbol: string) =>
    isNewMultiplier(modeOf(copier, symbol), kept && modeOf(kept, symbol)) &&
    (copier.overrides[symbol]?.sizing !== undefined || !isNew);
  const symbols = new Set([...Object.keys(copier.overrides), ...Object.keys(kept?.overrides ?? {})]);
  return [
    ...(isNew ? [sizingField ?? field] : []),
    ...[...symbols]
      .filter(isIntroduced)
      .map((symbol) => (overridesField === undefined ? field : `${overridesField}.${symbol}.sizing.mode`)),
  ];
}

const isNewMultiplier = (mode: SizingMode, kept: SizingMode | undefined): boolean =>
  mode === 'MULTIPLIER' && kept !== 'MULTIPLIER';

const modeOf = ({ sizingMode, overrides }: SizingModes, symbol: string): SizingMode =>
  overrides[symbol]?.sizing?.mode ?? sizingMode;

/** Returns true if `newCount` more copiers may follow a strategy that `linkedCount` copiers follow. */
export function hasCapacity(capacity: number | null, linkedCount: number, newCount: number): boolean {
  return capacity === null || linkedCount + newCount <= capacity;
}

const unique = <T>(items: readonly T[] | null): T[] | null => (items === null ? null : [...new Set(items)]);

/** Maps the input to columns. Omits the columns of absent settings; null clears a column. */
export function copierColumns(input: CopierCreate | CopierUpdate) {
  const { limits = {} } = input;
  return omitUndefined({
    name: input.name,
    onBreach: input.on_breach,
    belowMinimum: input.below_minimum,
    copyExisting: input.copy_existing,
    quoteAliases: input.quote_aliases,
    symbolMap: input.symbol_map,
    overrides: input.overrides,
    ...sizeAndLimitColumns(input),
    allowedPairs: limits.allowed_pairs === undefined ? undefined : unique(limits.allowed_pairs),
    blockedPairs: limits.blocked_pairs === undefined ? undefined : unique(limits.blocked_pairs),
  });
}

/** Returns the columns that an override replaces. */
export const overrideColumns = (override: CopierOverride) => omitUndefined(sizeAndLimitColumns(override));

type SizeAndLimits = Pick<CopierUpdate, 'sizing' | 'limits'> | CopierOverride;

function sizeAndLimitColumns({ sizing, limits = {} }: SizeAndLimits) {
  return {
    ...(sizing === undefined
      ? {}
      : { sizingMode: sizing.mode, sizingValue: sizing.value, sizingCapital: sizing.capital ?? null }),
    maxTradeQuote: limits.max_trade_quote,
    maxOpenQuote: limits.max_open_quote,
    maxOpenTrades: limits.max_open_trades,
    maxDailyLossQuote: limits.max_daily_loss_quote,
    maxDrawdownPercent: limits.max_drawdown_percent,
    maxSlippageBps: limits.max_slippage_bps,
    maxSignalAgeMs: limits.max_signal_age_ms,
    maxLeverage: limits.max_leverage,
    minMarginRatio: limits.min_margin_ratio,
    allowedSides: limits.allowed_sides === undefined ? undefined : unique(limits.allowed_sides),
  };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function omitUndefined<T extends object>(settings: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
