/** The entry point of the process: arguments, signals, exit code. */
import { processEnvironment } from './environment.js';
import { EXIT, Interrupted } from './failures.js';
import { isClosedPipe, outputFailure } from './file-failure.js';
import { formatCliError } from './format-cli-error.js';
import { run } from './run.js';
import { write } from './terminal/printer.js';
import { Terminal } from './terminal/terminal.js';
import { noticeUpdate } from './update-notice.js';

const interruption = new AbortController();

process.on('SIGINT', () => {
  // A second Ctrl-C exits immediately.
  if (interruption.signal.aborted) process.exit(EXIT.interrupted);
  interruption.abort(new Interrupted());
});
process.on('SIGTERM', () => interruption.abort(new Interrupted(EXIT.terminated)));
/** The first failed write to stdout, for example to a full disk. */
let lostOutput: unknown;
process.stdout.on('error', (error) => {
  if (isClosedPipe(error)) process.exit(EXIT.success);
  lostOutput ??= error;
});
// Messages that cannot be shown do not change the result of a command.
process.stderr.on('error', () => undefined);

const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
const environment = processEnvironment();
const argv = process.argv.slice(2);
let exitCode: number = await run(argv, { streams, environment, signal: interruption.signal });
if (exitCode === EXIT.success) await noticeUpdate(new Terminal(streams, environment.variables));
// Flush stdout, then exit even if handles are still open.
await write(process.stdout, '').catch(() => undefined);
// Help and versions are written without waiting for the result of the write.
if (lostOutput !== undefined && exitCode === EXIT.success) {
  const { stderrColors: colors } = new Terminal(streams, environment.variables);
  const isDebug = argv.includes('--debug');
  process.stderr.write(
    `${formatCliError(outputFailure(lostOutput, 'Write to another output.'), { isDebug, colors })}\n`,
  );
  exitCode = EXIT.failure;
}
process.exit(exitCode);
