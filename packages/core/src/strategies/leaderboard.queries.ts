/** The list of strategies: its conditions, and the columns by which it is sorted. */
import type { QueryOf, strategyOperations } from '@trading-automation/contracts';
import type { ListSource, SortColumn } from '@trading-automation/persistence';
import type { Actor, ListQuery } from '../operations/index.js';
import { IS_LISTED, LINE_OF } from './listed-strategies.queries.js';
import { showsCopierRoi } from './strategy-metrics.queries.js';

export type StrategyList = ListQuery & QueryOf<typeof strategyOperations.list>;

/**
 * Builds the source of the list. Public figures come from `strategy_figures`, as other users see them, so that neither
 * the order nor a cursor shows more than the records. The count of copiers is current.
 */
export function leaderboardSource(
  actor: Actor,
  query: StrategyList,
): Omit<ListSource<string>, 'select' | 'idColumn'> {
  const isPublic = query.visibility === 'PUBLIC';
  const params: unknown[] = [actor.userId];
  // Every statement must use $1, also one that only counts the rows.
  const where = isPublic
    ? [IS_LISTED('s'), '$1::uuid IS NOT NULL']
    : ['s.user_id = $1', 's.deleted_at IS NULL'];
  // A literal, because PostgreSQL uses partial indexes only for literals.
  if (query.visibility === 'PRIVATE') where.push("s.visibility = 'PRIVATE'");
  const { status, trading_type, symbol, min_days } = query;
  if (status !== undefined) where.push(`${isPublic ? PUBLIC_STATUS : 's.status'} = $${params.push(status)}`);
  if (trading_type !== undefined) {
    where.push(`EXISTS (SELECT FROM exchange_accounts a
      WHERE a.id = s.exchange_account_id AND a.trading_type = $${params.push(trading_type)})`);
  }
  if (symbol !== undefined) {
    where.push(`EXISTS (SELECT FROM trade_pairs tp WHERE tp.symbol = $${params.push(symbol)} AND (
      tp.id = ANY (s.trade_pair_ids) OR EXISTS (
        SELECT FROM result_days r WHERE r.strategy_id = s.id AND r.exchange_account_id = s.exchange_account_id
          AND r.trade_pair_id = tp.id)))`);
  }
  if (min_days !== undefined) {
    where.push(`(SELECT min(p.created_at) FROM strategies p WHERE ${LINE_OF('s')})
      <= clock_timestamp() - $${params.push(min_days)} * interval '1 day'`);
  }
  const figure = (name: string): SortColumn => ({
    column: nullsLast(isPublic ? `f.public_${name}` : `(f.performance ->> '${name}')::numeric`, query),
    type: 'numeric',
  });
  return {
    from: isPublic || !FIGURES.includes(query.sort) ? WITH_FIGURES : WITH_FIGURES_OF_FEW,
    where,
    params,
    sorts: {
      created_at: { column: 's.created_at', type: 'timestamptz' },
      name: { column: 's.name', type: 'text' },
      roi: figure('roi'),
      max_drawdown_percent: figure('max_drawdown_percent'),
      copier_roi: {
        column: nullsLast(
          `CASE WHEN ${showsCopierRoi('s', '$1')} THEN ${isPublic ? 'f.public_copier_roi' : "(f.performance ->> 'copier_roi')::numeric"} END`,
          query,
        ),
        type: 'numeric',
      },
      copier_count: {
        column: '(SELECT count(*) FROM copiers c WHERE c.strategy_id = s.id AND c.deleted_at IS NULL)',
        type: 'bigint',
      },
    },
  };
}

/** The sorts by figures. */
const FIGURES: readonly (string | undefined)[] = ['roi', 'max_drawdown_percent', 'copier_roi'];
/** A list that sorts by other columns does not read the figures: PostgreSQL removes the join. */
const WITH_FIGURES = 'strategies s LEFT JOIN strategy_figures f ON f.strategy_id = s.id';
/**
 * Reads figures only of the strategies that the list contains. OFFSET keeps PostgreSQL from reading the figures of all
 * strategies, which it does if it overestimates how many strategies a user has.
 */
const WITH_FIGURES_OF_FEW = `strategies s
  LEFT JOIN LATERAL (SELECT performance, copying_users FROM strategy_figures WHERE strategy_id = s.id OFFSET 0) f ON true`;

/** The status that users other than the owner see. */
const PUBLIC_STATUS = `CASE WHEN s.deleted_at IS NULL AND s.visibility = 'PUBLIC' THEN s.status ELSE 'ARCHIVED' END`;

/** Sort columns of keyset pages are never NULL: infinity of the right sign comes last. */
const nullsLast = (column: string, { order }: Pick<ListQuery, 'order'>) =>
  `coalesce(${column}, '${order === 'desc' ? '-' : ''}Infinity'::numeric)`;
