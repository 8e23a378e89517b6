/**
 * The keyset predicate and its order, as SQL text. Both come from here alone, because a page is right only where
 * they agree: the same column, the same direction, ties broken by the id in that same direction.
 */
import type { SortOrder } from './cursor.js';

export interface KeysetColumns {
  /** The sort column or expression; it must never be NULL, which no comparison finds again. */
  readonly column: string;
  /** The type that the cursor's text is read as; the column's own, so that its index serves. */
  readonly type: string;
  /** A unique column of type uuid. */
  readonly idColumn: string;
}

/** What follows the item whose sort value and id are the parameters `$valueIndex` and `$valueIndex + 1`. */
export function keysetPredicate(
  { column, type, idColumn }: KeysetColumns,
  order: SortOrder,
  valueIndex: number,
) {
  const after = order === 'asc' ? '>' : '<';
  return `(${column}, ${idColumn}) ${after} ($${valueIndex}::${type}, $${valueIndex + 1}::uuid)`;
}

export function keysetOrder({ column, idColumn }: KeysetColumns, order: SortOrder): string {
  return `${column} ${order.toUpperCase()}, ${idColumn} ${order.toUpperCase()}`;
}
