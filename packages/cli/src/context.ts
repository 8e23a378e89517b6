/**
 * The context of a command, and the types for registering commands. A command accesses the streams, the environment
 * variables and the interruption of the process only through this context.
 */
import type { Client } from '@trading-automation/sdk';
import type { Signer } from '@trading-automation/sdk/signer';
import type { Command } from 'commander';
import type { Environment } from './environment.js';
import type { ConfigFile } from './profile/config-file.js';
import type { Secrets } from './profile/secrets.js';
import type { Settings } from './profile/settings.js';
import type { Printer } from './terminal/printer.js';
import type { Prompts } from './terminal/prompts.js';
import type { Terminal } from './terminal/terminal.js';

export interface Context {
  readonly terminal: Terminal;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly config: ConfigFile;
  /** The secrets of the profile in use. */
  readonly secrets: Secrets;
  /** Aborted by Ctrl-C or SIGTERM. Pass it to every wait, so that running commands end cleanly. */
  readonly signal: AbortSignal;
  readonly print: Printer;
  readonly prompts: Prompts;

  /**
   * Returns a client with the credential of the profile and with decimals as strings.
   * @throws {AuthRequired} if no credential is configured
   * @throws {UsageError} if no address is configured
   */
  client(): Promise<Client<'string'>>;
  /** Returns a client without a credential. @throws {UsageError} if no address is configured */
  anonymousClient(): Client<'string'>;
  /** Returns the signer of the key pair, if the credential is a key pair. */
  signer(): Promise<Signer | undefined>;
  /** Returns the API key, if the credential is an API key. */
  apiKey(): Promise<string | undefined>;

  /**
   * Asks for confirmation, unless `--yes` is set.
   * @param textToType text that the user must type instead of yes, for risky actions
   * @throws {UsageError} if the terminal is not interactive
   * @throws {Declined} if the user does not confirm
   */
  confirm(question: string, textToType?: string): Promise<void>;
  /** Shows a spinner on an interactive terminal while the work runs. */
  progress<T>(label: string, work: () => Promise<T>): Promise<T>;
}

/** The action of a command. `args` and `options` are the arguments and flags that commander parsed. */
export type Action<Args, Options> = (context: Context, args: Args, options: Options) => Promise<void>;

/** Wraps an action for commander's `.action()`. */
export type Runner = <Args = readonly string[], Options = Readonly<Record<string, unknown>>>(
  action: Action<Args, Options>,
) => (...values: unknown[]) => Promise<void>;

/** Adds commands to the program. */
export type Register = (program: Command, run: Runner) => void;
