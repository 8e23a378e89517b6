import { Client } from '@trading-automation/sdk';
import type { Signer } from '@trading-automation/sdk/signer';
import type { Context } from './context.js';
import type { Environment } from './environment.js';
import { AuthRequired, Declined, UsageError } from './failures.js';
import type { ActiveProfile } from './profile/active-profile.js';
import { baseURLOf } from './profile/settings.js';
import { TerminalPrinter } from './terminal/printer.js';
import { withProgress } from './terminal/progress.js';
import { TerminalPrompts } from './terminal/prompts.js';
import type { Terminal } from './terminal/terminal.js';
import { safeLine } from './terminal/text-of.js';
import { VERSION } from './version.js';

/** The context of one run of a command. */
export class CommandContext implements Context {
  readonly settings;
  readonly config;
  readonly secrets;
  readonly print;
  readonly prompts;

  constructor(
    readonly environment: Environment,
    readonly signal: AbortSignal,
    readonly terminal: Terminal,
    private readonly profile: ActiveProfile,
  ) {
    this.settings = profile.settings;
    this.config = profile.config;
    this.secrets = profile.secrets;
    this.print = new TerminalPrinter(terminal, profile.settings);
    this.prompts = new TerminalPrompts(terminal, signal);
  }

  async client(): Promise<Client<'string'>> {
    const credential = await this.profile.credential();
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
    return (await this.profile.credential()).signer;
  }

  async apiKey(): Promise<string | undefined> {
    return (await this.profile.credential()).apiKey;
  }

  async confirm(question: string, textToType?: string): Promise<void> {
    if (this.settings.isConfirmed) return;
    const alternative = 'Confirm with --yes.';
    if (textToType === undefined) {
      if (await this.prompts.yesOrNo(question, alternative)) return;
    } else if (
      (await this.prompts.text(`${question} Type ${textToType} to continue`, alternative)) === textToType
    )
      return;
    throw new Declined();
  }

  async progress<T>(label: string, work: () => Promise<T>): Promise<T> {
    return withProgress(this.terminal, this.settings, label, work);
  }

  /**
   * Creates a client with the settings of the run.
   *
   * @param credential if its `apiKey` is null, the client ignores the environment and sends no credential
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

  /** Prints the canonical string, so that the user can compare it with that of another signer, byte by byte. */
  private printCanonicalString(canonical: string): void {
    const lines = canonical.split('\n').map((line) => `  ${safeLine(line)}`);
    this.terminal.stderr.write(`Canonical string (lines joined by \\n):\n${lines.join('\n')}\n`);
  }
}
