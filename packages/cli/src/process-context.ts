import type { Environment } from './environment.js';
import type { Streams } from './terminal/terminal.js';

/** What a run of the command line touches: a process gives its own, a test what it likes. */
export interface ProcessContext {
  readonly streams: Streams;
  readonly environment: Environment;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
