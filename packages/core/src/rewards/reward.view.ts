import {
  canonicalDecimal,
  encodeId,
  type IdPrefix,
  type Reward,
  type RewardBasis,
  type RewardSource,
  type RewardType,
} from '@trading-automation/contracts';
import type { RewardRow } from './rewards.queries.js';

const SOURCE_PREFIXES: Readonly<Record<RewardSource, IdPrefix>> = {
  exchange_account: 'exa',
  trade: 'trd',
  copier: 'cpr',
  strategy: 'str',
  referral: 'usr',
};

export function rewardView(row: RewardRow): Reward {
  const { source_kind, source_id, expires_at, claimed_at } = row;
  return {
    id: encodeId('rwd', row.id),
    type_id: encodeId('rwt', row.type_id),
    amount: canonicalDecimal(row.amount),
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    source: { kind: source_kind, id: encodeId(SOURCE_PREFIXES[source_kind], source_id) },
    ...shareView(row.share),
    claimable_at: row.claimable_at.toISOString(),
    ...(expires_at === null ? {} : { expires_at: expires_at.toISOString() }),
    ...(claimed_at === null ? {} : { claimed_at: claimed_at.toISOString() }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

type ShareView = Pick<Reward, 'period' | 'high_water_mark' | 'profit_share'>;

function shareView(share: RewardRow['share']): ShareView {
  if (share === null) return {};
  const { strategy_id, quote, rate, tokens_per_quote, from, to, before, after, settlement } = share;
  return {
    period: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    high_water_mark: { before: canonicalDecimal(before), after: canonicalDecimal(after) },
    profit_share: {
      strategy_id: encodeId('str', strategy_id),
      quote,
      rate: canonicalDecimal(rate),
      tokens_per_quote: canonicalDecimal(tokens_per_quote),
      ...(settlement === null ? {} : settlementView(settlement)),
    },
  };
}

function settlementView({
  realized,
  open_loss,
  amount,
  scale,
  lot_count,
  lots,
}: NonNullable<NonNullable<RewardRow['share']>['settlement']>): Omit<
  NonNullable<Reward['profit_share']>,
  'strategy_id' | 'quote' | 'rate' | 'tokens_per_quote'
> {
  return {
    realized: canonicalDecimal(realized),
    open_loss: canonicalDecimal(open_loss),
    unscaled_amount: canonicalDecimal(amount),
    ...(scale === null ? {} : { scale: canonicalDecimal(scale) }),
    lot_count,
    lots: (lots ?? []).map((id) => encodeId('lot', id)),
  };
}

export type RewardTypeRow = {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly basis: RewardBasis;
  readonly rate: string;
  readonly period: string | null;
  readonly is_active: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
};

export function rewardTypeView(row: RewardTypeRow): RewardType {
  return {
    id: encodeId('rwt', row.id),
    code: row.code,
    name: row.name,
    description: row.description,
    rule: {
      basis: row.basis,
      rate: canonicalDecimal(row.rate),
      ...(row.period === null ? {} : { period: row.period }),
    },
    is_active: row.is_active,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
