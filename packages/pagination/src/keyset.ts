/**
 * The keyset predicate and its order as SQL. They are built together, because pages are correct only if both use the same
 * column and direction and break ties by id in the same direction.
 */
import type { SortOrder } from './cursor.js';

export interface KeysetColumns {
  /** The sort column or expression. Must never be NULL, which matches no comparison. */
  readonly column: string;
  /** The type of the column, to which the cursor's text is cast so that the index is used. */
  readonly type: string;
  /** A unique column of type uuid. */
  readonly idColumn: string;
}

/** Returns the condition for the rows after the item with the sort value `$valueIndex` and the id `$valueIndex + 1`. */
export function keysetPredicate(
  { column, type, idColumn }: KeysetColumns,
  order: SortOrder,
  valueIndex: number,
) {
  const after = order === 'asc' ? '>' : '<';
  return `(${column}, ${idColumn}) ${after} ($${valueIndex}::${type}, $${valueIndex + 1}::uuid)`;
}

/** Returns the ORDER BY list of the predicate. */
export function keysetOrder({ column, idColumn }: KeysetColumns, order: SortOrder): string {
  return `${column} ${order.toUpperCase()}, ${idColumn} ${order.toUpperCase()}`;
}
