/** The entry point of the process: arguments, signals, exit code. */
import { processEnvironment } from './environment.js';
import { EXIT, Interrupted } from './failures.js';
import { isClosedPipe, run } from './run.js';
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
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => {
    if (isClosedPipe(error)) process.exit(EXIT.success);
    throw error;
  });

const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
const environment = processEnvironment();
const exitCode = await run(process.argv.slice(2), { streams, environment, signal: interruption.signal });
if (exitCode === EXIT.success) await noticeUpdate(new Terminal(streams, environment.variables));
// Flush stdout, then exit even if handles are still open.
await write(process.stdout, '').catch(() => undefined);
process.exit(exitCode);
