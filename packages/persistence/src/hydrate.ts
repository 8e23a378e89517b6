import type { QueryResultRow } from 'pg';
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

/**
 * Turns rows of `allColumns` into entities, by the names that the entity's columns have in the database. The driver's
 * values stay as they are: numerics as text, instants as `Date`.
 */
export function hydrate<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  target: EntityTarget<Entity>,
  rows: readonly QueryResultRow[],
): Entity[] {
  const metadata = dataSource.getMetadata(target);
  const columns = metadata.columns.map(
    ({ databaseName, propertyName }) => [databaseName, propertyName] as const,
  );
  return rows.map((row) => {
    const entity = metadata.create() as ObjectLiteral;
    for (const [databaseName, propertyName] of columns) entity[propertyName] = row[databaseName];
    return entity as Entity;
  });
}
