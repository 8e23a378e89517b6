/**
 * What the command line takes from the machine it runs on, in one place: the rest is given it, and can be given
 * something else.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import envPaths from 'env-paths';

export type Variables = Readonly<Record<string, string | undefined>>;
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface Environment {
  readonly variables: Variables;
  /** Holds config.toml, and the file of secrets where there is no keyring. */
  readonly configFolder: string;
  /** Holds what may be lost: ids for completions. */
  readonly cacheFolder: string;
  readonly workingFolder: string;
  readonly hostName: string;
  /** Of Windows differ the permissions of files. */
  readonly platform: NodeJS.Platform;
  /** For addresses that are the user's own, a receiver of webhooks say; the API is called by the SDK alone. */
  readonly fetch: Fetch;
}

/** This process's environment. */
export function processEnvironment(): Environment {
  return environmentOf(process.env, process.cwd());
}

/** An environment of these variables, on this machine. */
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
