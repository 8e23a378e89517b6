/**
 * The secrets of a profile: in the system's keyring, or where there is none in a file of the user's alone.
 *
 * 1. The file is refused where others may read it; it is never mended silently, since what others could read is no
 *    secret any more.
 * 2. Profiles are a folder's: another folder of settings has secrets of its own, in the one keyring, too.
 * 3. Of Linux's keyrings only the desktop's is taken: the kernel's forgets at a restart.
 * 4. `SVC_CREDENTIALS=file` chooses the file.
 */
import { join } from 'node:path';
import type { Environment } from '../environment.js';
import { AuthRequired, UsageError } from '../failures.js';
import { isOpenToOthers, readIfThere, writePrivately } from './private-file.js';

export type SecretName = 'private_key' | 'api_key' | 'listen_secret';

/** Keeps the secrets of one profile. */
export interface Secrets {
  readonly kind: 'keyring' | 'file';
  /** Where they are, in words. */
  readonly place: string;
  get(name: SecretName): Promise<string | undefined>;
  set(name: SecretName, value: string): Promise<void>;
  /** Forgets one; that it is not there is no failure. */
  delete(name: SecretName): Promise<void>;
}

const SERVICE = 'svc';
export const SECRET_NAMES: readonly SecretName[] = ['private_key', 'api_key', 'listen_secret'];

/** Chosen at the first use, since a keyring takes its time to load. */
export class ProfileSecrets implements Secrets {
  private chosen: Promise<Secrets> | undefined;
  kind: 'keyring' | 'file' = 'file';
  place = '';

  constructor(
    private readonly environment: Environment,
    private readonly profile: string,
    private readonly known: 'keyring' | 'file' | undefined,
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

  /** Where they are kept. */
  async store(): Promise<Secrets> {
    this.chosen ??= storeOf(this.environment, this.profile, this.known);
    const store = await this.chosen;
    this.kind = store.kind;
    this.place = store.place;
    return store;
  }
}

async function storeOf(
  environment: Environment,
  profile: string,
  known: 'keyring' | 'file' | undefined,
): Promise<Secrets> {
  const file = new SecretFile(secretFilePath(environment), profile, environment.platform);
  const asked = environment.variables.SVC_CREDENTIALS ?? known;
  if (asked === 'file') return file;
  if (asked !== undefined && asked !== 'keyring')
    throw new UsageError(`SVC_CREDENTIALS is keyring or file, and is ${asked}.`);
  const keyring = await Keyring.open(environment.configFolder, profile);
  if (keyring !== undefined) return keyring;
  if (asked === 'keyring')
    throw new AuthRequired(
      'The secrets are in the keyring, which does not answer.',
      'Unlock it, or log in again with SVC_CREDENTIALS=file.',
    );
  return file;
}

/** Where the file of secrets is, or would be. */
export function secretFilePath({ configFolder }: Environment): string {
  return join(configFolder, 'credentials.json');
}

type SecretTable = Readonly<Record<string, Partial<Record<SecretName, string>>>>;

export class SecretFile implements Secrets {
  readonly kind = 'file';

  constructor(
    readonly place: string,
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
    const { [this.profile]: own, ...others } = await this.read();
    if (own?.[name] === undefined) return;
    const { [name]: _forgotten, ...rest } = own;
    await this.write(Object.keys(rest).length === 0 ? others : { ...others, [this.profile]: rest });
  }

  private async read(): Promise<SecretTable> {
    if (await isOpenToOthers(this.place, this.platform))
      throw new AuthRequired(
        `${this.place} can be read by others, so its keys are not used.`,
        `Make it yours alone: chmod 600 ${this.place}. If others could read it, revoke its keys and log in again.`,
      );
    const text = await readIfThere(this.place);
    if (text === undefined) return {};
    try {
      return JSON.parse(text) as SecretTable;
    } catch {
      throw new AuthRequired(`${this.place} is damaged.`, 'Remove it and log in again: svc auth login');
    }
  }

  private async write(table: SecretTable): Promise<void> {
    await writePrivately(this.place, `${JSON.stringify(table, null, 2)}\n`);
  }
}

class Keyring implements Secrets {
  readonly kind = 'keyring';
  readonly place = "the system's keyring";

  private constructor(
    private readonly entryOf: (name: SecretName) => import('@napi-rs/keyring').AsyncEntry,
  ) {}

  /** Undefined where this machine has none that answers. */
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
