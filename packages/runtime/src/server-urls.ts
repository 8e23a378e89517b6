/**
 * Refuses URLs of servers from which a driver would read a part of the password as the host. The host of a failed
 * connection is logged.
 */
const SERVER_URLS = ['DATABASE_URL', 'REDIS_URL'] as const;

/** Returns one line per misread URL, without its value. A value that is not a URL is left to the schema. */
export function misreadServerUrls(values: Readonly<Record<string, string | undefined>>): readonly string[] {
  return SERVER_URLS.flatMap((name) => {
    const value = values[name];
    const problem = value === undefined ? undefined : problemOf(value);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
}

function problemOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'expected :// after the scheme';
  const { username, password, pathname, search, hash } = new URL(text);
  const hasCredentials = username !== '' || password !== '';
  if (hasCredentials || !`${pathname}${search}${hash}`.includes('@')) return undefined;
  return 'has an @ after its host; percent-encode / ? # and @ in the user name and password';
}
