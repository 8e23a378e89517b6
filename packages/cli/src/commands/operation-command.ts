import type { OperationId } from '../generated/operations.js';
import type { Column } from '../terminal/printer.js';

/** A command that calls one operation. Everything else is derived from the contract. */
export interface OperationCommand {
  /**
   * The words of the command, such as `trades list`: the last is its name, the others are its
   * groups.
   */
  readonly command: string;
  readonly operation: OperationId;
  /** Columns of a list, on a screen and in a pipe. */
  readonly columns?: readonly Column[];
  /**
   * Positional arguments in order: path parameters or body fields. Default: the path parameters.
   */
  readonly args?: readonly string[];
  /** Path parameters that are passed as flags: parameter name to flag name. */
  readonly flagOfParam?: Readonly<Record<string, string>>;
  /**
   * The confirmation prompt; `{name}` is replaced with the input. `live`: asked only in the live world.
   * `mustType`: the input that the user must type instead of yes in the live world.
   */
  readonly confirm?: {
    readonly question: string;
    readonly when: 'always' | 'live';
    readonly mustType?: string;
  };
  /** A response field that is shown only once. */
  readonly secret?: string;
  /** Whether the operation accepts exchange credentials, whose values are never passed as flags. */
  readonly credentials?: 'required' | 'optional';
  readonly examples: readonly string[];
}
