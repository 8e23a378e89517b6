import type { RootCommand } from '@bomb.sh/tab';
import type { Command } from 'commander';
import type { ProcessContext } from '../process-context.js';
import { type KnownId, knownIds } from './known-ids.js';

/** Id prefixes by command group. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  exchanges: 'exa_',
  pairs: 'tpr_',
  trades: 'trd_',
  rewards: 'rwd_',
  withdrawals: 'wdr_',
  strategies: 'str_',
  copiers: 'cpr_',
  notifications: 'ntf_',
  webhooks: 'whk_',
  events: 'evt_',
  'api-keys': 'key_',
  'public-keys': 'pbk_',
};

/** Prints the completions for a shell. @param argv the arguments after `svc complete` */
export async function complete(
  program: Command,
  argv: readonly string[],
  { environment }: ProcessContext,
): Promise<void> {
  const root = await completionOf(program);
  const ids = await knownIds(environment);
  for (const [path, command] of root.commands)
    for (const [name, argument] of command.arguments) {
      const prefix = prefixOf(path, name);
      if (prefix !== undefined)
        argument.handler = (suggest) => {
          for (const { id, label } of idsOf(ids, prefix)) suggest(id, label);
        };
    }
  root.parse(argv[0] === '--' ? argv.slice(1) : [...argv]);
}

const idsOf = (ids: readonly KnownId[], prefix: string) => ids.filter(({ id }) => id.startsWith(prefix));

function prefixOf(path: string, argument: string): string | undefined {
  if (argument === 'dead-letter') return 'dlq_';
  return ['id', 'webhook', 'event'].includes(argument) ? ID_PREFIXES[path.split(' ')[0]!] : undefined;
}

/** Builds the completion tree. The library is loaded here, because only completion needs it. */
export async function completionOf(program: Command): Promise<RootCommand> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  const root = tab(program, { completionCommandName: ADAPTER_COMMAND });
  root.commands.delete(ADAPTER_COMMAND);
  return root;
}

/** The library adds this command to print completion scripts. It is removed, because `svc completion` prints them. */
const ADAPTER_COMMAND = 'completion-script';
