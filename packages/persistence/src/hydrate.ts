import type { QueryResultRow } from 'pg';
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

/**
 * Converts rows that were selected with `allColumns` to entities. The driver determines the types of the values:
 * numerics are strings, timestamps are `Date`.
 */
export function hydrate<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  target: EntityTarget<Entity>,
  rows: readonly QueryResultRow[],
): Entity[] {
  const metadata = dataSource.getMetadata(target);
  const columns = metadata.columns
    .filter(({ isSelect }) => isSelect)
    .map(({ databaseName, propertyName }) => [databaseName, propertyName] as const);
  return rows.map((row) => {
    const entity = metadata.create() as ObjectLiteral;
    for (const [databaseName, propertyName] of columns) entity[propertyName] = row[databaseName];
    return entity as Entity;
  });
}
