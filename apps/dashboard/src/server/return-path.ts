/** Returns the page to which a sign-in leads back: a path of this dashboard; the overview for anything else. */
export function safeReturnPath(wanted: unknown): string {
  if (typeof wanted !== 'string' || !/^\/(?![/\\])/.test(wanted)) return '/';
  const base = 'http://dashboard.invalid';
  if (!URL.canParse(wanted, base)) return '/';
  const url = new URL(wanted, base);
  // The path is checked again in normal form: "/x/..//host" begins with "//" only there.
  const isPage = url.origin === base && !/^\/(?:\/|(?:api|sign-in)(?:\/|$))/.test(url.pathname);
  return isPage ? url.pathname + url.search : '/';
}
