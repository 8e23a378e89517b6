import { decodeId, type IdPrefix } from '@trading-automation/contracts';

/**
 * Records of one kind at the places of the ids that a caller gave: null for an id that `read` finds nothing by, and for
 * a text that can be no such id. `read` is given each uuid once, and is not asked where there is none.
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
