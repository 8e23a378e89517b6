/** One run of the command line: from arguments to an exit code. */
import { CommanderError } from 'commander';
import { complete } from './completion/complete.js';
import { EXIT, exitCodeOf, QuietExit } from './failures.js';
import { formatCliError } from './format-cli-error.js';
import type { ProcessContext } from './process-context.js';
import { programOf } from './program.js';
import { terminalOf } from './terminal/terminal.js';

export async function run(argv: readonly string[], edge: ProcessContext): Promise<number> {
  const terminal = terminalOf(edge.streams, edge.environment.variables, !argv.includes('--no-color'));
  const program = programOf(edge, terminal);
  try {
    if (argv.length === 0) program.outputHelp();
    // Shells ask so, at each press of the tabulator.
    else if (argv[0] === 'complete') await complete(program, argv.slice(1), edge);
    else await program.parseAsync(argv, { from: 'user' });
    return EXIT.success;
  } catch (error) {
    // What commander refuses it has told already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    if (isClosedPipe(error)) return EXIT.success;
    const failure = edge.signal.aborted && !(error instanceof QuietExit) ? edge.signal.reason : error;
    const told = formatCliError(failure, { isDebug: argv.includes('--debug'), colors: terminal.noteColors });
    if (told !== '') edge.streams.stderr.write(`${told}\n`);
    return exitCodeOf(failure);
  }
}

/** Whoever read has read enough: `svc trades list | head -1`. */
export function isClosedPipe(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}
