/**
 * The secrets of a profile: in the system's keyring or, without one, in a private file.
 *
 * 1. A file that other users can read is rejected. Its permissions are not corrected silently, because its secrets may
 *    have leaked.
 * 2. Secrets belong to a configuration folder: another folder has its own secrets, even in the same keyring.
 * 3. On Linux only the desktop keyring is used: the kernel keyring is lost at a restart.
 * 4. `SVC_CREDENTIALS=file` selects the file.
 */
import { join } from 'node:path';
import type { Environment } from '../environment.js';
import { AuthRequired, UsageError } from '../failures.js';
import { isOpenToOthers, readIfExists, writePrivately } from './private-file.js';

export type SecretName = 'private_key' | 'api_key' | 'listen_secret';

/** Stores the secrets of one profile. */
export interface Secrets {
  readonly kind: 'keyring' | 'file';
  /** Where the secrets are stored, in words for the user. */
  readonly location: string;
  get(name: SecretName): Promise<string | undefined>;
  set(name: SecretName, value: string): Promise<void>;
  /** Deletes a secret. Does nothing if the secret does not exist. */
  delete(name: SecretName): Promise<void>;
}

const SERVICE = 'svc';
export const SECRET_NAMES: readonly SecretName[] = ['private_key', 'api_key', 'listen_secret'];

/** Opens the store of a profile on first use, because the keyring is slow to load. */
export class ProfileSecrets implements Secrets {
  private storePromise: Promise<Secrets> | undefined;
  /** `kind` and `location` are valid only after the store was opened. */
  kind: 'keyring' | 'file' = 'file';
  location = '';

  constructor(
    private readonly environment: Environment,
    private readonly profile: string,
    /** The store that the configuration file names for the profile, if any. */
    private readonly profileKind: 'keyring' | 'file' | undefined,
  ) {}

  async get(name: SecretName): Promise<string | undefined> {
    return (await this.store()).get(name);
  }

  async set(name: SecretName, value: string): Promise<void> {
    await (await this.store()).set(name, value);
  }

  async delete(name: SecretName): Promise<void> {
    await (await this.store()).delete(name);
  }

  /** Returns the opened store. */
  async store(): Promise<Secrets> {
    this.storePromise ??= storeOf(this.environment, this.profile, this.profileKind);
    const store = await this.storePromise;
    this.kind = store.kind;
    this.location = store.location;
    return store;
  }
}

async function storeOf(
  environment: Environment,
  profile: string,
  profileKind: 'keyring' | 'file' | undefined,
): Promise<Secrets> {
  const file = new SecretFile(secretFilePath(environment), profile, environment.platform);
  const requested = environment.variables.SVC_CREDENTIALS ?? profileKind;
  if (requested === 'file') return file;
  if (requested !== undefined && requested !== 'keyring')
    throw new UsageError(`SVC_CREDENTIALS must be keyring or file; got ${requested}.`);
  const keyring = await Keyring.open(environment.configFolder, profile);
  if (keyring !== undefined) return keyring;
  if (requested === 'keyring')
    throw new AuthRequired(
      'The secrets are in the keyring, which is not available.',
      'Unlock it, or log in again with SVC_CREDENTIALS=file.',
    );
  return file;
}

/** Returns the path of the secrets file, which may not exist. */
export function secretFilePath({ configFolder }: Environment): string {
  return join(configFolder, 'credentials.json');
}

type SecretTable = Readonly<Record<string, Partial<Record<SecretName, string>>>>;

export class SecretFile implements Secrets {
  readonly kind = 'file';

  constructor(
    readonly location: string,
    private readonly profile: string,
    private readonly platform: NodeJS.Platform,
  ) {}

  async get(name: SecretName): Promise<string | undefined> {
    return (await this.read())[this.profile]?.[name];
  }

  async set(name: SecretName, value: string): Promise<void> {
    const table = await this.read();
    await this.write({ ...table, [this.profile]: { ...table[this.profile], [name]: value } });
  }

  async delete(name: SecretName): Promise<void> {
    const { [this.profile]: ownSecrets, ...others } = await this.read();
    if (ownSecrets?.[name] === undefined) return;
    const { [name]: _deleted, ...rest } = ownSecrets;
    await this.write(Object.keys(rest).length === 0 ? others : { ...others, [this.profile]: rest });
  }

  private async read(): Promise<SecretTable> {
    if (await isOpenToOthers(this.location, this.platform))
      throw new AuthRequired(
        `${this.location} is readable by other users, so its keys are not used.`,
        `Run chmod 600 ${this.location}. If others may have read it, revoke its keys and log in again.`,
      );
    const text = await readIfExists(this.location);
    if (text === undefined) return {};
    return parseSecrets(text, this.location);
  }

  private async write(table: SecretTable): Promise<void> {
    await writePrivately(this.location, `${JSON.stringify(table, null, 2)}\n`);
  }
}

/** @throws {UsageError} if the text is not a JSON object of profiles with strings */
function parseSecrets(text: string, path: string): SecretTable {
  const resolution = 'Delete it and log in again: svc auth login';
  let table: unknown;
  try {
    table = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not valid JSON.`, resolution);
  }
  const isTable =
    isObject(table) &&
    Object.values(table).every(
      (secrets) => isObject(secrets) && Object.values(secrets).every((value) => typeof value === 'string'),
    );
  if (!isTable)
    throw new UsageError(`${path} must contain an object with the secrets of each profile.`, resolution);
  return table as SecretTable;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

class Keyring implements Secrets {
  readonly kind = 'keyring';
  readonly location = "the system's keyring";

  private constructor(
    private readonly entryOf: (name: SecretName) => import('@napi-rs/keyring').AsyncEntry,
  ) {}

  /** Opens the keyring; returns undefined if none is available. */
  static async open(configFolder: string, profile: string): Promise<Keyring | undefined> {
    try {
      const { AsyncEntry } = await import('@napi-rs/keyring');
      const linux = { store: 'secret-service' as never };
      const keyring = new Keyring(
        (name) => new AsyncEntry(SERVICE, `${configFolder} ${profile}/${name}`, { linux }),
      );
      await keyring.get('private_key');
      return keyring;
    } catch {
      return undefined;
    }
  }

  async get(name: SecretName): Promise<string | undefined> {
    return (await this.entryOf(name).getPassword()) ?? undefined;
  }

  async set(name: SecretName, value: string): Promise<void> {
    await this.entryOf(name).setPassword(value);
  }

  async delete(name: SecretName): Promise<void> {
    await this.entryOf(name).deleteCredential();
  }
}
