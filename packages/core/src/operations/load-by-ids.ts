import { decodeId, type IdPrefix } from '@trading-automation/contracts';

/**
 * Loads records in input order; null for unknown and malformed ids. `read` gets each uuid once, and returns records
 * with public ids. It is not called if no id is valid.
 */
export async function loadByIds<Item extends { readonly id: string }>(
  prefix: IdPrefix,
  publicIds: readonly string[],
  read: (uuids: readonly string[]) => Promise<readonly Item[]>,
): Promise<readonly (Item | null)[]> {
  const uuids = new Set(publicIds.map((publicId) => decodeId(prefix, publicId)).filter((id) => id !== null));
  const records = uuids.size === 0 ? [] : await read([...uuids]);
  const byId = new Map(records.map((record) => [record.id, record]));
  return publicIds.map((publicId) => byId.get(publicId) ?? null);
}
