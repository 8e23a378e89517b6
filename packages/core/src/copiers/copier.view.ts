import {
  type Copier,
  type CopierStats,
  canonicalDecimal,
  encodeId,
  type StoppedCopier,
} from '@trading-automation/contracts';
import { instantText } from '../instant-text.js';
import type { CopierEntity } from './copier.entity.js';

/** Nothing was signalled to it. */
const NO_STATS: CopierStats = {
  copied: 0,
  skipped: 0,
  failed: 0,
  median_latency_ms: null,
  p99_latency_ms: null,
  average_slippage_bps: null,
  tracking_difference_bps: null,
  open_exposure_quote: '0',
  net_pnl: '0',
};

export function viewCopier(copier: CopierEntity): Copier {
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
    on_breach: copier.onBreach,
    below_minimum: copier.belowMinimum,
    copy_existing: copier.copyExisting,
    high_water_mark: canonicalDecimal(copier.highWaterMark),
    stats: NO_STATS,
    started_at: copier.startedAt === null ? undefined : instantText(copier.startedAt),
    stopped_at: copier.stoppedAt === null ? undefined : instantText(copier.stoppedAt),
    created_at: instantText(copier.createdAt),
    updated_at: instantText(copier.updatedAt),
  };
}

/** No copy is made yet, so a stop leaves none open. */
export function viewStoppedCopier(copier: CopierEntity): StoppedCopier {
  return { ...viewCopier(copier), open_lots: [] };
}

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
    allowed_pairs: copier.allowedPairs ?? undefined,
    blocked_pairs: copier.blockedPairs ?? undefined,
    allowed_sides: copier.allowedSides ?? undefined,
  };
}

const optional = (value: string | null) => (value === null ? undefined : canonicalDecimal(value));
