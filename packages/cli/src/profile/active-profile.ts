/**
 * The profile of a run: its settings, its stored secrets, and the credential of its requests.
 *
 * A credential in an environment variable takes precedence over that of the profile.
 */
import { createSigner, type Signer } from '@trading-automation/sdk/signer';
import type { Environment } from '../environment.js';
import { UsageError } from '../failures.js';
import { ConfigFile, type Profile, profileIn } from './config-file.js';
import { ProfileSecrets } from './secrets.js';
import { type GlobalOptions, type Settings, settingsOf } from './settings.js';

export interface Credential {
  readonly apiKey?: string;
  readonly signer?: Signer;
}

export class ActiveProfile {
  /** The secrets of the profile. */
  readonly secrets: ProfileSecrets;
  private credentialPromise: Promise<Credential> | undefined;

  private constructor(
    private readonly environment: Environment,
    readonly config: ConfigFile,
    readonly settings: Settings,
    private readonly profile: Profile,
  ) {
    this.secrets = new ProfileSecrets(environment, settings.profile, profile.secrets);
  }

  /** Reads the configuration file and selects the profile by the options and the environment. */
  static async select(environment: Environment, options: GlobalOptions): Promise<ActiveProfile> {
    const config = new ConfigFile(environment.configFolder);
    const file = await config.read();
    const settings = settingsOf(options, environment.variables, file);
    return new ActiveProfile(environment, config, settings, profileIn(file, settings.profile) ?? {});
  }

  /** Returns the credential of the run; an empty object without one. @throws {UsageError} if it is invalid */
  credential(): Promise<Credential> {
    this.credentialPromise ??= this.findCredential();
    return this.credentialPromise;
  }

  private async findCredential(): Promise<Credential> {
    const { SVC_API_KEY: apiKey, SVC_PRIVATE_KEY: privateKey } = this.environment.variables;
    if (apiKey && privateKey)
      throw new UsageError('SVC_API_KEY and SVC_PRIVATE_KEY are both set. Set only one of them.');
    if (apiKey) return { apiKey };
    if (privateKey) return { signer: signerOf(privateKey, 'SVC_PRIVATE_KEY') };
    const { credential } = this.profile;
    if (credential === undefined) return {};
    const secret = await this.secrets.get(credential === 'api_key' ? 'api_key' : 'private_key');
    if (secret === undefined) return {};
    if (credential === 'api_key') this.assertSameOrigin();
    return credential === 'api_key'
      ? { apiKey: secret }
      : { signer: signerOf(secret, 'The stored key of the profile') };
  }

  /** Throws if a stored API key would be sent to another address than the one that it was stored for. */
  private assertSameOrigin(): void {
    const { base_url } = this.profile;
    if (base_url === undefined || base_url === this.settings.baseURL) return;
    throw new UsageError(
      `The API key of the profile ${this.settings.profile} is for ${base_url}; it is not sent to ${this.settings.baseURL}.`,
      'Use another --profile, or set the key as SVC_API_KEY.',
    );
  }
}

/** Creates a signer. @throws {UsageError} if the private key is invalid */
export function signerOf(privateKey: string, source: string): Signer {
  try {
    return createSigner(privateKey.trim());
  } catch {
    throw new UsageError(`${source} is not a secp256k1 private key. It must be 64 hex characters.`);
  }
}
