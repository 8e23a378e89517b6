import type { OperationId } from '../generated/operations.js';
import type { Column } from '../terminal/printer.js';

/** A command that calls one operation. What is not set here is derived from the contract. */
export interface OperationCommand {
  /** The words of the command, such as `trades list`: the last word is its name, the others are its groups. */
  readonly command: string;
  readonly operation: OperationId;
  /** Columns of a list, on a screen and in a pipe. */
  readonly columns?: readonly Column[];
  /** Positional arguments in order: path parameters or body fields. Default: the path parameters. */
  readonly args?: readonly string[];
  /** Path parameters that are passed as flags. Keys are names of parameters, values are names of flags. */
  readonly flagOfParam?: Readonly<Record<string, string>>;
  /**
   * The confirmation prompt. `question`: each `{name}` is replaced with the input of that name; a function chooses it by the
   * input. `when`: with `live`, the question is asked only in the live world. `inputToRetype`: in the live world, the user must
   * type this input again instead of yes.
   */
  readonly confirm?: {
    readonly question: string | ((input: Readonly<Record<string, unknown>>) => string);
    readonly when: 'always' | 'live';
    readonly inputToRetype?: string;
  };
  /** The response field with a secret that the API returns only once. */
  readonly secret?: string;
  /** Set if the operation accepts credentials of an exchange. Their values are never passed as flags. */
  readonly exchangeCredentials?: 'required' | 'optional';
  readonly examples: readonly string[];
}
