import type { Environment } from './environment.js';
import type { Streams } from './terminal/terminal.js';

/** The streams and the environment of a run. Tests pass their own. */
export interface ProcessContext {
  readonly streams: Streams;
  readonly environment: Environment;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
