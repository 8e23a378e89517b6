import { type Copier, type CopierOverride, canonicalDecimal, encodeId } from '@trading-automation/contracts';
import { formatInstant } from '../values/index.js';
import type { CopierEntity } from './copier.entity.js';
import type { CopierFigures } from './copier-stats.queries.js';
import { viewProfitShare } from './profit-share-terms.rules.js';

export function viewCopier(copier: CopierEntity, { stats, profitShare }: CopierFigures): Copier {
  return {
    id: encodeId('cpr', copier.id),
    name: copier.name,
    strategy_id: copier.strategyId === null ? undefined : encodeId('str', copier.strategyId),
    exchange_account_id: encodeId('exa', copier.exchangeAccountId),
    status: copier.status,
    status_reason: copier.statusReason ?? undefined,
    sizing: {
      mode: copier.sizingMode,
      value: canonicalDecimal(copier.sizingValue),
      capital: optional(copier.sizingCapital),
    },
    limits: viewLimits(copier),
    quote_aliases: copier.quoteAliases,
    symbol_map: copier.symbolMap,
    overrides: Object.fromEntries(
      Object.entries(copier.overrides).map(([symbol, override]) => [symbol, viewOverride(override)]),
    ),
    on_breach: copier.onBreach,
    below_minimum: copier.belowMinimum,
    copy_existing: copier.copyExisting,
    high_water_mark: canonicalDecimal(copier.highWaterMark),
    ...viewProfitShare(profitShare),
    stats,
    drift: copier.drift.map(({ symbol, lotTradeId, heldAmount, excessAmount }) => ({
      symbol,
      source_trade_id: encodeId('trd', lotTradeId),
      held_amount: canonicalDecimal(heldAmount),
      excess_amount: canonicalDecimal(excessAmount),
    })),
    started_at: copier.startedAt === null ? undefined : formatInstant(copier.startedAt),
    stopped_at: copier.stoppedAt === null ? undefined : formatInstant(copier.stoppedAt),
    created_at: formatInstant(copier.createdAt),
    updated_at: formatInstant(copier.updatedAt),
  };
}

function viewOverride({ sizing, limits }: CopierOverride): CopierOverride {
  return {
    sizing: sizing && {
      ...sizing,
      value: canonicalDecimal(sizing.value),
      capital: sizing.capital && canonicalDecimal(sizing.capital),
    },
    limits: limits && {
      ...limits,
      max_trade_quote: canonicalOrAbsent(limits.max_trade_quote),
      max_open_quote: canonicalOrAbsent(limits.max_open_quote),
      max_daily_loss_quote: canonicalOrAbsent(limits.max_daily_loss_quote),
      max_drawdown_percent: canonicalOrAbsent(limits.max_drawdown_percent),
      max_leverage: canonicalOrAbsent(limits.max_leverage),
    },
  };
}

const canonicalOrAbsent = (value: string | undefined) => value && canonicalDecimal(value);

function viewLimits(copier: CopierEntity): Copier['limits'] {
  return {
    max_trade_quote: optional(copier.maxTradeQuote),
    max_open_quote: optional(copier.maxOpenQuote),
    max_open_trades: copier.maxOpenTrades ?? undefined,
    max_daily_loss_quote: optional(copier.maxDailyLossQuote),
    max_drawdown_percent: optional(copier.maxDrawdownPercent),
    max_slippage_bps: copier.maxSlippageBps ?? undefined,
    max_signal_age_ms: copier.maxSignalAgeMs,
    max_leverage: optional(copier.maxLeverage),
    min_margin_ratio: optional(copier.minMarginRatio),
    allowed_pairs: copier.allowedPairs ?? undefined,
    blocked_pairs: copier.blockedPairs ?? undefined,
    allowed_sides: copier.allowedSides ?? undefined,
  };
}

const optional = (value: string | null) => (value === null ? undefined : canonicalDecimal(value));
