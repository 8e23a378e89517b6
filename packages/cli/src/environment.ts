/**
 * Accesses the machine: environment variables, folders and network. All other code receives an
 * `Environment`, which tests replace.
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
  /** Contains data that can be deleted at any time: ids for completions. */
  readonly cacheFolder: string;
  readonly workingFolder: string;
  readonly hostName: string;
  /** File permissions differ on Windows. */
  readonly platform: NodeJS.Platform;
  /**
   * Sends requests to the user's own addresses, such as a webhook receiver. Only the SDK calls the
   * API.
   */
  readonly fetch: Fetch;
}

/** Returns the environment of this process. */
export function processEnvironment(): Environment {
  return environmentOf(process.env, process.cwd());
}

/** Returns an environment on this machine with the passed variables and working folder. */
export function environmentOf(variables: Variables, workingFolder: string): Environment {
  const paths = envPaths('svc', { suffix: '' });
  const ownFolder = variables.SVC_CONFIG_DIR ? resolve(workingFolder, variables.SVC_CONFIG_DIR) : undefined;
  return {
    variables,
    configFolder: ownFolder ?? paths.config,
    cacheFolder: ownFolder ?? paths.cache,
    workingFolder,
    hostName: hostname(),
    platform: process.platform,
    fetch: (url, init) => globalThis.fetch(url, init),
  };
}
