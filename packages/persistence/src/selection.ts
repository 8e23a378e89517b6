import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

/** A select list and the conversion of its rows to items. */
export interface Selection<Item> {
  /** Select list, for example `t.id, t.symbol`. */
  readonly text: string;
  /** Number of columns. */
  readonly width: number;
  /** Converts a row; `values` are in the order of the select list. */
  readonly read: (values: readonly unknown[]) => Item;
}

/**
 * Selects the given properties of an entity. Rows are converted by position, without an intermediate object. The driver
 * determines the types of the values: numerics are strings, timestamps are `Date`.
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
    if (column === undefined) throw new TypeError(`${metadata.name} has no column for ${property}.`);
    return `${alias}.${column.databaseName}`;
  });
  const blank = Object.fromEntries(properties.map((property) => [property, undefined]));
  return {
    text: columns.join(', '),
    width: columns.length,
    read(values) {
      // Start from an object that has all properties: an object that grows is reallocated repeatedly.
      const item: Record<string, unknown> = { ...blank };
      for (let i = 0; i < properties.length; i++) item[properties[i]!] = values[i];
      return item as Pick<Entity, Property>;
    },
  };
}

/**
 * Returns a function that lists all columns of an entity under `alias`, for rows that `hydrate` reads. It omits columns
 * with `select: false`. `wrap` may return SQL that contains the list. The result is cached per data source.
 *
 * Use it instead of `*`, whose columns change when a migration adds one: the result columns of a prepared statement
 * must not change while two releases run concurrently.
 */
export function allColumns<Entity extends ObjectLiteral>(
  target: EntityTarget<Entity>,
  alias: string,
  wrap: (columns: string) => string = (columns) => columns,
): (dataSource: DataSource) => string {
  const texts = new WeakMap<DataSource, string>();
  return (dataSource) => {
    let text = texts.get(dataSource);
    if (text === undefined) {
      const { columns } = dataSource.getMetadata(target);
      const selected = columns.filter(({ isSelect }) => isSelect);
      text = wrap(selected.map(({ databaseName }) => `${alias}.${databaseName}`).join(', '));
      texts.set(dataSource, text);
    }
    return text;
  };
}

/**
 * Combines the selections of both sides of a LEFT JOIN. The second item is null if the first column of `second` is
 * NULL, so that column must be NOT NULL in its table.
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
