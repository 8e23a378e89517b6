/** Builds the command tree. Each group registers its commands; this file defines global options and help settings. */
import { Command, Option } from 'commander';
import { CommandContext } from './command-context.js';
import { registerAuth } from './commands/auth.js';
import { registerApprove } from './commands/auth-approve.js';
import { registerLogin } from './commands/auth-login.js';
import { registerCompletion } from './commands/completion.js';
import { CUSTOM_COMMANDS } from './commands/custom-commands.js';
import { registerDeadLettersRetry } from './commands/dead-letters-retry.js';
import { groupUnderHeadings } from './commands/group.js';
import { registerProfile } from './commands/profile.js';
import { registerOperationCommands } from './commands/register-operation-commands.js';
import type { Action, Register, Runner } from './context.js';
import { EXIT, EXIT_MEANINGS } from './failures.js';
import { foreignServerError } from './foreign-server.js';
import type { ProcessContext } from './process-context.js';
import { ActiveProfile } from './profile/active-profile.js';
import type { Terminal } from './terminal/terminal.js';
import { safeText } from './terminal/text-of.js';
import { VERSION } from './version.js';

export function programOf(processContext: ProcessContext, terminal: Terminal): Command {
  const program = new Command('svc');
  const { stdout, stderr } = terminal;
  program
    .description('Trade, copy, receive webhooks and manage your account.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
      getOutHasColors: () => terminal.hasColor,
      getErrHasColors: () => terminal.stderrColors.isColorSupported,
      outputError: (text, write) =>
        write(safeText(text).replace(/^error:/, terminal.stderrColors.red('error:'))),
    })
    .configureHelp({
      styleTitle: (text) => terminal.colors.bold(text),
      // Global options are listed only in the help of the program; the help of a command refers to it.
      showGlobalOptions: false,
      minWidthToWrap: 30,
    })
    .showHelpAfterError('(see --help)');
  for (const option of globalOptions()) program.addOption(option);
  program.addHelpText('after', EXAMPLES);
  program.addHelpText('afterAll', ({ command }) =>
    command === program ? '' : '\nFor options of every command, see: svc --help',
  );
  const run = runnerOf(program, processContext, terminal);
  for (const register of REGISTRATIONS) register(program, run);
  groupUnderHeadings(program);
  return program;
}

/** The commands, in the order of the help. */
const REGISTRATIONS: readonly Register[] = [
  registerLogin,
  registerAuth,
  registerApprove,
  registerProfile,
  registerOperationCommands,
  registerDeadLettersRetry,
  ...CUSTOM_COMMANDS,
  registerCompletion,
];

const EXIT_CODES_PER_LINE = 6;

/** Lists the exit codes with their meanings, on two lines. */
function exitCodes(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  const codes = names.map((name) => `${EXIT[name]} ${EXIT_MEANINGS[name]}`);
  const lines = [codes.slice(0, EXIT_CODES_PER_LINE), codes.slice(EXIT_CODES_PER_LINE)];
  return lines.map((line) => line.join(', ')).join(',\n');
}

const EXAMPLES = `
Examples:
  $ svc auth login --base-url http://127.0.0.1:4000
  $ svc trades create --pair BTC/USDT --side BUY --type MARKET --amount 0.01
  $ svc trades list --status FILLED --json id,symbol,cost
  $ svc listen --forward-to http://localhost:3000/hooks

Exit codes: ${exitCodes()}.
Environment: SVC_PROFILE, SVC_BASE_URL, SVC_GRAPHQL_URL, SVC_API_KEY,
SVC_PRIVATE_KEY, SVC_CONFIG_DIR, SVC_CREDENTIALS, NO_COLOR, FORCE_COLOR.`;

function globalOptions(): readonly Option[] {
  return [
    new Option('--profile <name>', 'use this profile'),
    new Option('--base-url <url>', 'address of the API'),
    new Option('--json [fields]', 'print JSON, optionally only these fields (comma-separated)'),
    new Option('--jq <filter>', 'apply this jq filter to the JSON output'),
    new Option('--limit <count>', 'maximum number of items of a list'),
    new Option('--all', 'read all items of a list'),
    new Option('--idempotency-key <key>', 'make a repeated command take effect once'),
    new Option('--timeout <time>', 'time limit of each request: 10s, 500ms or 2m'),
    new Option('-y, --yes', 'skip confirmation prompts'),
    new Option('-q, --quiet', 'print only data and warnings'),
    new Option('-v, --verbose', 'print progress details'),
    new Option('--debug', 'print all details and stack traces'),
    new Option('--debug-signature', 'print the canonical string of each request'),
    new Option('--no-color', 'disable colours'),
  ];
}

function runnerOf(program: Command, processContext: ProcessContext, terminal: Terminal): Runner {
  return <Args, Options>(action: Action<Args, Options>) =>
    async (...values: unknown[]) => {
      const options = values.at(-2) as Options;
      const args = values.slice(0, -2) as Args;
      const profile = await ActiveProfile.select(processContext.environment, program.opts());
      const context = new CommandContext(
        processContext.environment,
        processContext.signal,
        terminal,
        profile,
      );
      try {
        await action(context, args, options);
      } catch (error) {
        throw foreignServerError(error, profile.settings.baseURL);
      }
    };
}
