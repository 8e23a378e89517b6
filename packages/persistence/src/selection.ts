import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

/** What a list selects, and how a row of it becomes an item. */
export interface Selection<Item> {
  /** Select list, for example `t.id, t.symbol`. */
  readonly text: string;
  /** How many columns that is. */
  readonly width: number;
  /** `values` come in the order of the select list, as the driver reads them. */
  readonly read: (values: readonly unknown[]) => Item;
}

/**
 * Some properties of an entity: what is not asked for is neither read nor sent. Rows become items by place, without a
 * record by column in between. The driver's values stay as they are: numerics as text, instants as `Date`.
 */
export function selectionOf<Entity extends ObjectLiteral, Property extends keyof Entity & string>(
  dataSource: DataSource,
  target: EntityTarget<Entity>,
  alias: string,
  properties: readonly Property[],
): Selection<Pick<Entity, Property>> {
  const metadata = dataSource.getMetadata(target);
  const columns = properties.map((property) => {
    const column = metadata.findColumnWithPropertyName(property);
    if (column === undefined) throw new TypeError(`${metadata.name} has no column for ${property}`);
    return `${alias}.${column.databaseName}`;
  });
  const blank = Object.fromEntries(properties.map((property) => [property, undefined]));
  return {
    text: columns.join(', '),
    width: columns.length,
    read(values) {
      // A copy has room for all of them at once; one that grows by each is made over and over.
      const item: Record<string, unknown> = { ...blank };
      for (let i = 0; i < properties.length; i++) item[properties[i]!] = values[i];
      return item as Pick<Entity, Property>;
    },
  };
}

/**
 * All columns of an entity, each by its name, under `alias`: its rows are for `hydrate`. They are the list itself, or
 * what `write` makes of it; written once for each database.
 *
 * In place of `*`, which is another list as soon as a migration adds a column: rows that are prepared must not change
 * while releases run side by side.
 */
export function allColumns<Entity extends ObjectLiteral>(
  target: EntityTarget<Entity>,
  alias: string,
  write: (columns: string) => string = (columns) => columns,
): (dataSource: DataSource) => string {
  const texts = new WeakMap<DataSource, string>();
  return (dataSource) => {
    let text = texts.get(dataSource);
    if (text === undefined) {
      const { columns } = dataSource.getMetadata(target);
      text = write(columns.map(({ databaseName }) => `${alias}.${databaseName}`).join(', '));
      texts.set(dataSource, text);
    }
    return text;
  };
}

/**
 * Both sides of a LEFT JOIN. Where a row has nothing of the second, its item is null: told by its first column, which
 * must be one that is never NULL.
 */
export function leftJoined<First, Second>(
  first: Selection<First>,
  second: Selection<Second>,
): Selection<readonly [First, Second | null]> {
  const { width } = first;
  return {
    text: `${first.text}, ${second.text}`,
    width: width + second.width,
    read: (values) => [first.read(values), values[width] === null ? null : second.read(values.slice(width))],
  };
}
