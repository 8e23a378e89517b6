import type { OperationId } from '../generated/operations.js';
import type { Column } from '../terminal/printer.js';

/** One operation as a command: the rest follows from the contract. */
export interface OperationCommand {
  /** `trades list`; the last word is the command. */
  readonly command: string;
  readonly operation: OperationId;
  /** Of a list on a screen and in a pipe. */
  readonly columns?: readonly Column[];
  /**
   * What is given by its place, in this order: a parameter of the path, or a field of the body. The path's parameters
   * unless told otherwise.
   */
  readonly args?: readonly string[];
  /** Parameters of the path that are given by a flag, under its name. */
  readonly flags?: Readonly<Record<string, string>>;
  /**
   * What is asked before it happens; `{name}` stands for what was given. `live`: where real money is at stake alone.
   * `typed`: what must be typed in place of yes there.
   */
  readonly confirm?: { readonly question: string; readonly when: 'always' | 'live'; readonly typed?: string };
  /** A member of the answer that is shown this once. */
  readonly secret?: string;
  /** Credentials of an exchange: never flags. */
  readonly credentials?: 'required' | 'optional';
  readonly examples: readonly string[];
}
