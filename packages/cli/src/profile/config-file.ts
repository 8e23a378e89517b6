/** config.toml: profiles by name, without secrets. */
import { join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { UsageError } from '../failures.js';
import { readIfExists, writePrivately } from './private-file.js';

export const DEFAULT_PROFILE = 'default';

export interface Profile {
  /** Origin of the REST API. */
  readonly base_url?: string;
  /** Address of the GraphQL API. */
  readonly graphql_url?: string;
  /** World of the account, stored at login. */
  readonly world?: 'live' | 'test';
  /** Type of the credential. The secret itself is stored elsewhere. */
  readonly credential?: 'key_pair' | 'api_key';
  readonly public_key?: string;
  /** Where the secrets are stored. */
  readonly secrets?: 'keyring' | 'file';
}

export interface ProfileFile {
  readonly default_profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** Returns a profile by name; undefined if it does not exist. */
export function profileIn({ profiles }: ProfileFile, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const RESOLUTION = 'Fix the file. Or delete it and log in again: svc auth login';

const isTable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

export class ConfigFile {
  readonly path: string;

  constructor(configFolder: string) {
    this.path = join(configFolder, 'config.toml');
  }

  /** Reads the file; without a file, returns no profiles. @throws {UsageError} if the file is invalid */
  async read(): Promise<ProfileFile> {
    const text = await readIfExists(this.path);
    if (text === undefined) return { profiles: {} };
    let document: unknown;
    try {
      document = parse(text);
    } catch (error) {
      const [reason] = (error as Error).message.split('\n');
      throw new UsageError(`${this.path} is not valid TOML: ${reason}`, RESOLUTION);
    }
    const { default_profile, profiles = {} } = document as Partial<ProfileFile>;
    this.assertProfiles(profiles);
    return { ...(typeof default_profile === 'string' ? { default_profile } : {}), profiles };
  }

  private assertProfiles(profiles: unknown): void {
    if (!isTable(profiles)) throw new UsageError(`${this.path}: profiles must be a table.`, RESOLUTION);
    for (const [name, profile] of Object.entries(profiles)) {
      const field = `profiles.${name}`;
      if (!isTable(profile)) throw new UsageError(`${this.path}: ${field} must be a table.`, RESOLUTION);
      const { base_url, graphql_url, world, credential, public_key, secrets } = profile as Profile;
      const strings = { base_url, graphql_url, world, credential, public_key, secrets };
      for (const [key, value] of Object.entries(strings))
        if (value !== undefined && typeof value !== 'string')
          throw new UsageError(`${this.path}: ${field}.${key} must be a string.`, RESOLUTION);
    }
  }

  /** @throws {UsageError} */
  async write(file: ProfileFile): Promise<void> {
    await writePrivately(this.path, `${stringify(file)}\n`);
  }

  /** Updates one profile. An undefined value removes the field. */
  async change(
    name: string,
    change: { readonly [K in keyof Profile]: Profile[K] | undefined },
  ): Promise<void> {
    const file = await this.read();
    const fields = Object.entries({ ...profileIn(file, name), ...change }).filter(
      ([, value]) => value !== undefined,
    );
    await this.write({
      default_profile: file.default_profile ?? name,
      profiles: { ...file.profiles, [checkedName(name)]: Object.fromEntries(fields) },
    });
  }
}

/** Returns a profile name unchanged. @throws {UsageError} if it is invalid */
export function checkedName(name: string): string {
  if (PROFILE_NAME.test(name)) return name;
  throw new UsageError(
    `A profile name has up to 64 letters, digits, dots, dashes and underscores; got ${JSON.stringify(name)}.`,
  );
}
