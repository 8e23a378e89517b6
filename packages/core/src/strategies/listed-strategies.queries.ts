/** Conditions on strategies, in SQL. The arguments are aliases of `strategies`. */

/**
 * Whether every user may read the strategy: it is public, or a copier of another user has followed it. The latter stays
 * listed as archived after its deletion and while it is private, so that bad records do not vanish.
 */
export const IS_LISTED = (s: string) => `((${s}.visibility = 'PUBLIC' AND ${s}.deleted_at IS NULL)
  OR EXISTS (SELECT FROM copied_strategies copied WHERE copied.strategy_id = ${s}.id))`;

/** Whether users other than the owner may follow the strategy. */
export const IS_OPEN = (s: string) =>
  `(${s}.visibility = 'PUBLIC' AND ${s}.status = 'ACTIVE' AND ${s}.deleted_at IS NULL)`;

/**
 * Whether the strategy `p` belongs to the record of the strategy `s`: it is the same, or the owner's earlier and
 * archived strategy on the same account. Archiving and creating a strategy anew therefore does not clear a record.
 */
export const LINE_OF = (
  s: string,
) => `p.exchange_account_id = ${s}.exchange_account_id AND p.user_id = ${s}.user_id
  AND (p.id = ${s}.id OR (p.status = 'ARCHIVED' AND p.created_at < ${s}.created_at))`;
