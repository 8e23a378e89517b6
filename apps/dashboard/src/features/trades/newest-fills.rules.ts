/** Returns at most `count` fills, newest first. */
export const newestFills = <F extends { readonly executed_at: string }>(
  fills: readonly F[],
  count: number,
): F[] => [...fills].sort((a, b) => b.executed_at.localeCompare(a.executed_at)).slice(0, count);
