/** The maximum number of rows in one record of a snapshot. */
const SNAPSHOT_CHUNK_SIZE = 1_000;

/** Splits rows into the records of a snapshot. */
export function* chunksOf<T>(items: Iterable<T>): Generator<T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < SNAPSHOT_CHUNK_SIZE) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Appends a value to the list of a key. */
export function pushTo<Key, T>(lists: Map<Key, T[]>, key: Key, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
