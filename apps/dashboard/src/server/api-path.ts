/**
 * Returns the path and query of the REST API for a URL of this server; undefined if it does not lead below `/v1`. The
 * path is checked in normal form. An encoded separator is refused, because a proxy before the API may decode it and
 * then leave `/v1`.
 */
export function apiPathOf(url: string): string | undefined {
  const { pathname, search } = new URL(url);
  const isBelow = pathname.startsWith('/api/v1/') && !/%(?:2f|5c)/i.test(pathname);
  return isBelow ? pathname.slice('/api'.length) + search : undefined;
}
