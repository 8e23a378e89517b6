/**
 * The lifecycle of a process. It either starts completely or exits, and it stops on request.
 *
 * 1. SIGTERM, SIGINT or the end of the parent process (the IPC channel closes) stops it. Further signals are ignored.
 * 2. If stopping takes longer than the grace period, the process exits with code 1. The next process resumes the
 *    interrupted work from the database.
 * 3. An uncaught error is logged without secrets and exits the process, so that a supervisor restarts it.
 */
import { fail, failStart, reportCrashes } from './crash-reports.js';
import type { Logger } from './logger.js';

export interface RunningProcess {
  /** Stops accepting work, completes running work and closes connections. */
  stop(): Promise<void>;
}

export interface ProcessOptions {
  readonly logger: Logger;
  readonly start: () => Promise<RunningProcess>;
  /** Maximum duration of a stop in milliseconds. Default: 40,000, because a request may take 35 s. */
  readonly graceMs?: number;
}

const GRACE_MS = 40_000;

/** Starts a service and exits the process when the service has stopped. */
export async function runProcess({ logger, start, graceMs = GRACE_MS }: ProcessOptions): Promise<void> {
  reportCrashes(logger);
  let running: RunningProcess;
  try {
    running = await start();
  } catch (error) {
    return failStart('process.start_failed', error, 'The process could not start.');
  }

  let isStopping = false;
  const stop = (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ event: 'process.stopping', reason }, 'The process is stopping.');
    setTimeout(
      () =>
        fail(
          'process.stop_timed_out',
          new Error(`not stopped after ${graceMs} ms`),
          'The process did not stop in time; exiting.',
        ),
      graceMs,
    ).unref();
    running.stop().then(
      () => process.exit(0),
      (error) => fail('process.stop_failed', error, 'The process could not stop cleanly.'),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  process.on('disconnect', () => stop('parent process ended'));
}
