const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** Names a browser for the user who approves its session, such as "Dashboard: Firefox on macOS". */
export function clientNameOf(request: Request): string {
  const agent = request.headers.get('user-agent') ?? '';
  const named = (list: readonly (readonly [string, string])[]) =>
    list.find(([mark]) => agent.includes(mark))?.[1];
  const browser = named(BROWSERS) ?? 'a browser';
  const system = named(SYSTEMS);
  return `Dashboard: ${browser}${system === undefined ? '' : ` on ${system}`}`;
}
