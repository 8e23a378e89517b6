/** Runs the command line and returns its exit code. */
import { CommanderError } from 'commander';
import { complete } from './completion/complete.js';
import { EXIT, exitCodeOf, QuietExit } from './failures.js';
import { isClosedPipe } from './file-failure.js';
import { formatCliError } from './format-cli-error.js';
import type { ProcessContext } from './process-context.js';
import { programOf } from './program.js';
import { Terminal } from './terminal/terminal.js';

export async function run(argv: readonly string[], processContext: ProcessContext): Promise<number> {
  const terminal = new Terminal(
    processContext.streams,
    processContext.environment.variables,
    !argv.includes('--no-color'),
  );
  const program = programOf(processContext, terminal);
  try {
    if (argv.length === 0) program.outputHelp();
    // Called by the shell completion on each Tab.
    else if (argv[0] === 'complete') await complete(program, argv.slice(1), processContext);
    else await program.parseAsync(argv, { from: 'user' });
    return EXIT.success;
  } catch (error) {
    // commander has already printed its own errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    if (isClosedPipe(error)) return EXIT.success;
    const failure =
      processContext.signal.aborted && !(error instanceof QuietExit) ? processContext.signal.reason : error;
    const message = formatCliError(failure, {
      isDebug: argv.includes('--debug'),
      colors: terminal.stderrColors,
    });
    if (message !== '') processContext.streams.stderr.write(`${message}\n`);
    return exitCodeOf(failure);
  }
}
