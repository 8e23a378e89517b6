/** config.toml: profiles by name, none of them a secret. */
import { join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { UsageError } from '../failures.js';
import { readIfThere, writePrivately } from './private-file.js';

export const DEFAULT_PROFILE = 'default';

export interface Profile {
  /** Origin of the REST API. */
  readonly base_url?: string;
  /** Address of the GraphQL API. */
  readonly graphql_url?: string;
  /** Of the account, as it was told at the login. */
  readonly world?: 'live' | 'test';
  /** What the profile signs in with; the secret itself is elsewhere. */
  readonly credential?: 'key_pair' | 'api_key';
  readonly public_key?: string;
  /** Where the secrets are. */
  readonly secrets?: 'keyring' | 'file';
}

export interface ProfileFile {
  readonly default_profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A profile by its name; undefined where there is none. */
export function profileIn({ profiles }: ProfileFile, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export class ConfigFile {
  readonly path: string;

  constructor(configFolder: string) {
    this.path = join(configFolder, 'config.toml');
  }

  /** @throws {UsageError} where the file can't be understood */
  async read(): Promise<ProfileFile> {
    const text = await readIfThere(this.path);
    if (text === undefined) return { profiles: {} };
    let found: unknown;
    try {
      found = parse(text);
    } catch (error) {
      throw new UsageError(`${this.path} is no TOML: ${(error as Error).message.split('\n')[0]}`);
    }
    const { default_profile, profiles = {} } = found as Partial<ProfileFile>;
    if (typeof profiles !== 'object') throw new UsageError(`${this.path}: profiles is no table.`);
    return { ...(typeof default_profile === 'string' ? { default_profile } : {}), profiles };
  }

  async write(file: ProfileFile): Promise<void> {
    await writePrivately(this.path, `${stringify(file)}\n`);
  }

  /** Changes one profile; undefined takes a member away. */
  async change(
    name: string,
    change: { readonly [K in keyof Profile]: Profile[K] | undefined },
  ): Promise<void> {
    const file = await this.read();
    const kept = Object.entries({ ...profileIn(file, name), ...change }).filter(
      ([, value]) => value !== undefined,
    );
    await this.write({
      default_profile: file.default_profile ?? name,
      profiles: { ...file.profiles, [checkedName(name)]: Object.fromEntries(kept) },
    });
  }
}

/** @throws {UsageError} where it can't be a profile's name */
export function checkedName(name: string): string {
  if (PROFILE_NAME.test(name)) return name;
  throw new UsageError(
    `A profile's name is letters, digits, dots and dashes, and is ${JSON.stringify(name)}.`,
  );
}
