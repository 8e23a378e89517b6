import { api } from '../../data/api';
import { LATE, useQuery } from '../../data/query';

/** Each name needs a request. The strategies beyond are called "Copied strategy". */
const NAMED_MAX = 20;
const NAMES_STALE_MS = 3_600_000;

/** Returns the names of strategies of other users by id, as far as these are public. */
export function useCopiedNames(ids: readonly string[]): Readonly<Record<string, string>> {
  const named = ids.slice(0, NAMED_MAX);
  const { data } = useQuery({
    // Not below "strategies", which every trade of the account loads again: a name seldom changes.
    queryKey: ['copied-names', named],
    queryFn: async ({ signal }) => {
      const names = named.map(async (id): Promise<readonly [string, string][]> => {
        // A strategy that is private or deleted by now has no name for others.
        const strategy = await api()
          .strategies.get(id, { signal })
          .catch(() => undefined);
        return strategy === undefined ? [] : [[id, strategy.name]];
      });
      return Object.fromEntries((await Promise.all(names)).flat());
    },
    staleTime: NAMES_STALE_MS,
    enabled: named.length > 0,
    meta: LATE,
  });
  return data ?? {};
}
