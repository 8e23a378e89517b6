import type { Environment } from './environment.js';
import type { Streams } from './terminal/terminal.js';

/** The streams and the environment of a run. A test passes its own ones. */
export interface ProcessContext {
  readonly streams: Streams;
  readonly environment: Environment;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
