/** What a command is given, and how it enters the tree. Commands see nothing of the process beside it. */
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
  /** Aborted by Ctrl-C: give it to whatever waits. Commands that run on end cleanly. */
  readonly signal: AbortSignal;
  readonly print: Printer;
  readonly prompts: Prompts;

  /**
   * The API, with the credential of the profile and decimals as text.
   * @throws {AuthRequired} where no credential is known
   * @throws {UsageError} where no address is known
   */
  client(): Promise<Client<'string'>>;
  /** The API without a credential. @throws {UsageError} where no address is known */
  anonymousClient(): Client<'string'>;
  /** Of the profile's key pair, if it has one. */
  signer(): Promise<Signer | undefined>;
  /** The profile's API key, if that is its credential. */
  apiKey(): Promise<string | undefined>;

  /**
   * Goes on where the user says yes, or said `--yes`.
   * @param typed what must be typed in place of yes, where much is at stake
   * @throws {UsageError} where nobody can be asked
   * @throws {Declined} where the answer is no
   */
  confirm(question: string, typed?: string): Promise<void>;
  /** Shows that something takes its time, where somebody looks on. */
  progress<T>(what: string, work: () => Promise<T>): Promise<T>;
}

/** What a command does. `args` and `options` are as commander parsed them: the command knows what it declared. */
export type Action<Args, Options> = (context: Context, args: Args, options: Options) => Promise<void>;

/** Makes of an action what commander's `.action()` takes. */
export type Runner = <Args = readonly string[], Options = Readonly<Record<string, unknown>>>(
  action: Action<Args, Options>,
) => (...given: unknown[]) => Promise<void>;

/** Adds commands to the tree. */
export type Register = (program: Command, run: Runner) => void;
