/**
 * The only access to the machine: environment variables, folders and network. Everything else gets an `Environment`,
 * which tests replace.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import envPaths from 'env-paths';

export type Variables = Readonly<Record<string, string | undefined>>;
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface Environment {
  readonly variables: Variables;
  /** Contains config.toml and, without a keyring, the secrets file. */
  readonly configFolder: string;
  /** Contains data that may be lost: ids for completions. */
  readonly cacheFolder: string;
  readonly workingFolder: string;
  readonly hostName: string;
  /** File permissions differ on Windows. */
  readonly platform: NodeJS.Platform;
  /** For the user's own addresses, such as a webhook receiver. The API is called only through the SDK. */
  readonly fetch: Fetch;
}

/** Returns the environment of this process. */
export function processEnvironment(): Environment {
  return environmentOf(process.env, process.cwd());
}

/** Returns an environment with these variables on this machine. */
export function environmentOf(variables: Variables, workingFolder: string): Environment {
  const paths = envPaths('svc', { suffix: '' });
  const own = variables.SVC_CONFIG_DIR ? resolve(workingFolder, variables.SVC_CONFIG_DIR) : undefined;
  return {
    variables,
    configFolder: own ?? paths.config,
    cacheFolder: own ?? paths.cache,
    workingFolder,
    hostName: hostname(),
    platform: process.platform,
    fetch: (url, init) => globalThis.fetch(url, init),
  };
}
