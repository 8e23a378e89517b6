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
  /** The platform, because file permissions and processes differ on Windows. */
  readonly platform: NodeJS.Platform;
  /** Sends requests that are not for the REST API, such as to a webhook receiver. Only the SDK calls the REST API. */
  readonly fetch: Fetch;
}

/** Returns the environment of this process. */
export function processEnvironment(): Environment {
  return environmentOf(process.env, process.cwd());
}

/** Returns an environment of this machine, but with other variables and another working folder. */
export function environmentOf(variables: Variables, workingFolder: string): Environment {
  const paths = envPaths('svc', { suffix: '' });
  const configuredFolder = variables.SVC_CONFIG_DIR
    ? resolve(workingFolder, variables.SVC_CONFIG_DIR)
    : undefined;
  return {
    variables,
    configFolder: configuredFolder ?? paths.config,
    cacheFolder: configuredFolder ?? paths.cache,
    workingFolder,
    hostName: hostname(),
    platform: process.platform,
    fetch: (url, init) => globalThis.fetch(url, init),
  };
}
