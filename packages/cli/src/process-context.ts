import type { Environment } from './environment.js';
import type { Streams } from './terminal/terminal.js';

/** The streams, the environment and the abort signal of a run. A test passes its own. */
export interface ProcessContext {
  readonly streams: Streams;
  readonly environment: Environment;
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}
