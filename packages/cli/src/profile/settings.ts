/**
 * The settings of a run. Flags override the environment, which overrides the profile.
 *
 * 1. A secret is never passed as a flag: other processes can see flags, and the shell history stores them.
 * 2. A run uses one credential. Two credentials in the environment are an error.
 */
import type { Variables } from '../environment.js';
import { UsageError } from '../failures.js';
import { DEFAULT_PROFILE, type Profile, type ProfileFile, profileIn } from './config-file.js';

export type World = 'live' | 'test';

export interface Settings {
  /** Name of the profile in use. */
  readonly profile: string;
  /** Origin of the REST API. */
  readonly baseURL: string | undefined;
  /** Address of the GraphQL API. */
  readonly graphqlURL: string | undefined;
  /** World of the profile's account, if known. */
  readonly world: World | undefined;
  /** Undefined: a table or tab-separated lines. `[]`: JSON with all fields. Otherwise: JSON with these fields. */
  readonly json: readonly string[] | undefined;
  /** A jq filter for the JSON; implies JSON output. */
  readonly jq: string | undefined;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  readonly isDebug: boolean;
  /** Whether the canonical string of each signed request is printed. */
  readonly isSignatureShown: boolean;
  /** Whether prompts are confirmed automatically. */
  readonly isConfirmed: boolean;
  readonly timeoutMs: number;
  /** Maximum number of items of a list. Default: one page. */
  readonly limit: number | undefined;
  /** Whether all items of a list are read. */
  readonly all: boolean;
  /** Idempotency-Key of a POST. Default: a generated one. */
  readonly idempotencyKey: string | undefined;
}

/** The global options as parsed by commander. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly json?: string | boolean;
  readonly jq?: string;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly debugSignature?: boolean;
  readonly yes?: boolean;
  readonly timeout?: string;
  readonly limit?: string;
  readonly all?: boolean;
  readonly idempotencyKey?: string;
}

/** Longer than the slowest response of an API. */
const TIMEOUT_DEFAULT_MS = 40_000;

export function settingsOf(options: GlobalOptions, variables: Variables, file: ProfileFile): Settings {
  const name = options.profile || variables.SVC_PROFILE || file.default_profile || DEFAULT_PROFILE;
  const profile: Profile = profileIn(file, name) ?? {};
  if (options.quiet && options.verbose) throw new UsageError('--quiet and --verbose cannot be combined.');
  if (options.all && options.limit !== undefined)
    throw new UsageError('--all and --limit cannot be combined.');
  return {
    profile: name,
    baseURL: options.baseUrl || variables.SVC_BASE_URL || profile.base_url,
    graphqlURL: variables.SVC_GRAPHQL_URL || profile.graphql_url,
    world: worldOf(variables.SVC_API_KEY) ?? profile.world,
    json: fieldsOf(options),
    jq: options.jq,
    isQuiet: options.quiet === true,
    isVerbose: options.verbose === true || options.debug === true,
    isDebug: options.debug === true,
    isSignatureShown: options.debugSignature === true,
    isConfirmed: options.yes === true,
    timeoutMs: options.timeout === undefined ? TIMEOUT_DEFAULT_MS : millisecondsOf(options.timeout),
    limit: options.limit === undefined ? undefined : limitOf(options.limit),
    all: options.all === true,
    idempotencyKey: options.idempotencyKey === undefined ? undefined : keyOf(options.idempotencyKey),
  };
}

/** Returns the world of an API key, from its prefix. */
export function worldOf(apiKey: string | undefined): World | undefined {
  const world = /^svc_(live|test)_/.exec(apiKey ?? '')?.[1];
  return world === 'live' || world === 'test' ? world : undefined;
}

/** Returns the origin of the REST API. @throws {UsageError} if it is not configured */
export function baseURLOf({ baseURL }: Settings): string {
  if (baseURL !== undefined) return baseURL;
  throw new UsageError(
    'The address of the API is not configured.',
    'Pass --base-url, set SVC_BASE_URL, or store it: svc config set base_url URL',
  );
}

function fieldsOf({ json, jq }: GlobalOptions): readonly string[] | undefined {
  if (typeof json === 'string') return json.split(',').filter((field) => field !== '');
  return json === true || jq !== undefined ? [] : undefined;
}

/** Parses `500ms`, `10s` or `2m`; a number without a unit is in seconds. */
function millisecondsOf(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  const ms = Number(amount) * { ms: 1, s: 1000, m: 60_000 }[unit as 'ms' | 's' | 'm'];
  if (!(ms > 0)) throw new UsageError(`--timeout must be a time such as 10s, 500ms or 2m; got ${text}.`);
  return ms;
}

function keyOf(text: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(text))
    throw new UsageError('--idempotency-key must be 1 to 255 printable ASCII characters without spaces.');
  return text;
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new UsageError(`--limit must be an integer of 1 or more; got ${text}.`);
  return limit;
}
