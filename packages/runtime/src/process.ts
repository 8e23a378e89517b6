/**
 * The life of a process: it starts whole or not at all, and stops when it is told to.
 *
 * 1. SIGTERM, SIGINT and the end of the parent that holds the IPC channel all stop it, once.
 * 2. A stop that outlasts the grace ends the process all the same, with exit code 1: work that was cut
 *    is picked up again from the database.
 * 3. An error that nobody caught is logged and ends the process, for a supervisor to start a clean one.
 */
import { ConfigError } from './config.js';
import type { Logger } from './logger.js';

export interface RunningProcess {
  /** Stops intake, lets running work end, closes connections. */
  stop(): Promise<void>;
}

export interface ProcessOptions {
  readonly logger: Logger;
  readonly start: () => Promise<RunningProcess>;
  /** How long a stop may take, in milliseconds. A webhook attempt may run 30 s. */
  readonly graceMs?: number;
}

const GRACE_MS = 35_000;

/** Runs a service until it is told to stop. */
export async function runProcess({ logger, start, graceMs = GRACE_MS }: ProcessOptions): Promise<void> {
  const fail = (error: unknown, message: string) => {
    logger.fatal({ err: error }, message);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => fail(error, 'uncaught exception'));
  process.on('unhandledRejection', (reason) => fail(reason, 'unhandled rejection'));

  let running: RunningProcess;
  try {
    running = await start();
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const problem of error.problems) logger.fatal(problem);
      process.exit(1);
    }
    return fail(error, 'could not start');
  }

  let isStopping = false;
  const stop = (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ reason }, 'stopping');
    setTimeout(
      () => fail(new Error(`not stopped after ${graceMs} ms`), 'stop took too long'),
      graceMs,
    ).unref();
    running.stop().then(
      () => process.exit(0),
      (error) => fail(error, 'could not stop cleanly'),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  process.on('disconnect', () => stop('parent is gone'));
}
