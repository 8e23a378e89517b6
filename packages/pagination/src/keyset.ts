/**
 * The SQL condition and the ORDER BY of a keyset page. They are built together, because pages are correct only if both use
 * the same column and direction, and if both order equal values by id in that direction.
 */
import type { SortOrder } from './cursor.js';

export interface KeysetColumns {
  /** The sort column or expression. It must never be NULL, because a comparison with NULL is never true. */
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

/** Returns the ORDER BY list that belongs to the condition. */
export function keysetOrder({ column, idColumn }: KeysetColumns, order: SortOrder): string {
  return `${column} ${order.toUpperCase()}, ${idColumn} ${order.toUpperCase()}`;
}
