/**
 * Refuses settings that switch off a protection of the whole process. They are not variables of a schema: Node.js or a
 * driver reads them, so a process would accept them in silence.
 */
type Environment = Readonly<Record<string, string | undefined>>;

/** Options of Node.js that accept invalid HTTP, or write the keys of TLS connections to a file. */
const UNSAFE_OPTIONS = ['--insecure-http-parser', '--tls-keylog'];
/** With these values, the driver of Postgres connects without a verified certificate, whatever the URL of the server. */
const UNVERIFIED = /[?&]sslmode=no-verify(?:&|$)/i;

/**
 * Returns one line per unsafe setting, without its value.
 *
 * @param values the variables of the schema, also those that come from files
 */
export function unsafeSettings(environment: Environment, values: Environment): readonly string[] {
  const problems: string[] = [];
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    problems.push(
      'NODE_TLS_REJECT_UNAUTHORIZED: must not be 0, because TLS would accept every certificate; ' +
        'remove it, and set NODE_EXTRA_CA_CERTS to trust a private authority',
    );
  // Node.js accepts underscores instead of dashes in the name of an option.
  const options = `${environment.NODE_OPTIONS ?? ''} ${process.execArgv.join(' ')}`.replaceAll('_', '-');
  for (const option of UNSAFE_OPTIONS)
    if (options.includes(option)) problems.push(`NODE_OPTIONS: must not contain ${option}; remove it`);
  if (values.WORLD === 'live') problems.push(...unsafeInLiveWorld(environment, values));
  return problems;
}

function unsafeInLiveWorld(environment: Environment, values: Environment): string[] {
  const problems: string[] = [];
  if (environment.NODE_DEBUG)
    problems.push('NODE_DEBUG: must not be set in the live world, because it logs secrets; remove it');
  if (UNVERIFIED.test(values.DATABASE_URL ?? ''))
    problems.push(
      'DATABASE_URL: must not contain sslmode=no-verify in the live world; use sslmode=verify-full',
    );
  return problems;
}
