/**
 * What a run is set to: a flag goes before the environment, the environment before the profile.
 *
 * 1. A secret is never a flag: flags are seen by every process of the machine, and kept by the shell's history.
 * 2. A run uses one credential: two of one level are refused, never chosen between.
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
  /** Of the profile's account, as far as it is known. */
  readonly world: World | undefined;
  /** Undefined: a table or tab-separated. `[]`: JSON with every field. Else JSON with these fields. */
  readonly json: readonly string[] | undefined;
  /** A jq filter that the JSON goes through; it asks for JSON by itself. */
  readonly jq: string | undefined;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  readonly isDebug: boolean;
  /** The canonical string of each signed request is told. */
  readonly isSignatureShown: boolean;
  /** Confirmed beforehand. */
  readonly isConfirmed: boolean;
  readonly timeoutMs: number;
  /** How many items of a list; undefined: one page. */
  readonly limit: number | undefined;
  /** Every item of a list. */
  readonly all: boolean;
  /** What makes a POST happen once; undefined: one is made for it. */
  readonly idempotencyKey: string | undefined;
}

/** Options of the program as commander has them. */
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

const TIMEOUT_DEFAULT_MS = 30_000;

export function settingsOf(options: GlobalOptions, variables: Variables, file: ProfileFile): Settings {
  const name = options.profile || variables.SVC_PROFILE || file.default_profile || DEFAULT_PROFILE;
  const profile: Profile = profileIn(file, name) ?? {};
  if (options.quiet && options.verbose) throw new UsageError('--quiet and --verbose contradict each other.');
  if (options.all && options.limit !== undefined)
    throw new UsageError('--all and --limit contradict each other.');
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

/** Of an API key, by its beginning. */
export function worldOf(apiKey: string | undefined): World | undefined {
  const world = /^svc_(live|test)_/.exec(apiKey ?? '')?.[1];
  return world === 'live' || world === 'test' ? world : undefined;
}

/** Origin of the REST API. @throws {UsageError} where none is set */
export function baseURLOf({ baseURL }: Settings): string {
  if (baseURL !== undefined) return baseURL;
  throw new UsageError(
    'The address of the API is not known.',
    'Give --base-url, set SVC_BASE_URL, or keep it in the profile: svc config set base_url URL',
  );
}

function fieldsOf({ json, jq }: GlobalOptions): readonly string[] | undefined {
  if (typeof json === 'string') return json.split(',').filter((field) => field !== '');
  return json === true || jq !== undefined ? [] : undefined;
}

/** `500ms`, `10s`, `2m`; a number alone is seconds. */
function millisecondsOf(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  const ms = Number(amount) * { ms: 1, s: 1000, m: 60_000 }[unit as 'ms' | 's' | 'm'];
  if (!(ms > 0)) throw new UsageError(`--timeout is a time like 10s, 500ms or 2m, and is ${text}.`);
  return ms;
}

function keyOf(text: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(text))
    throw new UsageError('--idempotency-key is 1 to 255 visible characters without spaces.');
  return text;
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new UsageError(`--limit is a whole number from 1 up, and is ${text}.`);
  return limit;
}
