import { Client } from '@trading-automation/sdk';
import { createSigner, type Signer } from '@trading-automation/sdk/signer';
import type { Context } from './context.js';
import { AuthRequired, Declined, UsageError } from './failures.js';
import type { ProcessContext } from './process-context.js';
import type { ConfigFile, Profile } from './profile/config-file.js';
import { ProfileSecrets } from './profile/secrets.js';
import { baseURLOf, type Settings } from './profile/settings.js';
import { TerminalPrinter } from './terminal/printer.js';
import { withProgress } from './terminal/progress.js';
import { TerminalPrompts } from './terminal/prompts.js';
import type { Terminal } from './terminal/terminal.js';
import { VERSION } from './version.js';

interface Credential {
  readonly apiKey?: string;
  readonly signer?: Signer;
}

/** The context of one run of a command. */
export class CommandContext implements Context {
  readonly environment;
  readonly signal;
  readonly print;
  readonly prompts;
  readonly secrets;
  private credentialPromise: Promise<Credential> | undefined;

  constructor(
    processContext: ProcessContext,
    readonly terminal: Terminal,
    readonly settings: Settings,
    readonly config: ConfigFile,
    private readonly profile: Profile,
  ) {
    this.environment = processContext.environment;
    this.signal = processContext.signal;
    this.print = new TerminalPrinter(terminal, settings);
    this.prompts = new TerminalPrompts(terminal, processContext.signal);
    this.secrets = new ProfileSecrets(processContext.environment, settings.profile, profile.secrets);
  }

  async client(): Promise<Client<'string'>> {
    const credential = await this.credential();
    if (credential.apiKey === undefined && credential.signer === undefined)
      throw new AuthRequired(
        `The profile ${this.settings.profile} has no credential.`,
        'Log in with `svc auth login`, or set SVC_API_KEY.',
      );
    return this.clientWith(credential);
  }

  anonymousClient(): Client<'string'> {
    return this.clientWith({ apiKey: null });
  }

  async signer(): Promise<Signer | undefined> {
    return (await this.credential()).signer;
  }

  async apiKey(): Promise<string | undefined> {
    return (await this.credential()).apiKey;
  }

  async confirm(question: string, mustType?: string): Promise<void> {
    if (this.settings.isConfirmed) return;
    const instead = 'Confirm with --yes.';
    if (mustType === undefined) {
      if (await this.prompts.yesOrNo(question, instead)) return;
    } else if ((await this.prompts.text(`${question} Type ${mustType} to continue`, instead)) === mustType)
      return;
    throw new Declined();
  }

  async progress<T>(label: string, work: () => Promise<T>): Promise<T> {
    return withProgress(this.terminal, this.settings, label, work);
  }

  /**
   * @param credential if its `apiKey` is null, the client ignores the environment and sends no
   * credential
   */
  private clientWith(credential: {
    readonly apiKey?: string | null;
    readonly signer?: Signer;
  }): Client<'string'> {
    const { timeoutMs, isDebug, isVerbose, isSignatureShown } = this.settings;
    const baseURL = baseURLOf(this.settings);
    const log = (text: string) => this.print.detail(text);
    try {
      return new Client({
        baseURL,
        ...credential,
        ...(this.settings.graphqlURL === undefined ? {} : { graphqlURL: this.settings.graphqlURL }),
        decimals: 'string',
        timeout: timeoutMs,
        defaultHeaders: { 'user-agent': `svc/${VERSION}` },
        logLevel: isDebug ? 'debug' : isVerbose ? 'info' : 'warn',
        logger: {
          debug: (message, ...values) => log([message, ...values].join(' ')),
          info: (message, ...values) => log([message, ...values].join(' ')),
          warn: (message) => this.print.warn(message),
          error: (message) => this.print.warn(message),
        },
        ...(isSignatureShown ? { onSign: (text: string) => this.printCanonicalString(text) } : {}),
      });
    } catch (error) {
      throw error instanceof TypeError
        ? new UsageError(error.message.replace('baseURL', '--base-url'))
        : error;
    }
  }

  /**
   * Prints the canonical string, so that the user can compare it byte by byte with another
   * signer's.
   */
  private printCanonicalString(canonical: string): void {
    const lines = canonical.split('\n').map((line) => `  ${line}`);
    this.terminal.stderr.write(`Canonical string (lines joined by \\n):\n${lines.join('\n')}\n`);
  }

  private credential(): Promise<Credential> {
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
      : { signer: signerOf(secret, 'The key of the profile') };
  }

  /** Sends a stored API key only to the address that it was stored for. */
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
