import type { RootCommand } from '@bomb.sh/tab';
import type { Command } from 'commander';
import type { ProcessContext } from '../process-context.js';
import { type KnownId, knownIds } from './known-ids.js';

/** What an id begins with, by the group of commands that takes it. */
const KINDS: Readonly<Record<string, string>> = {
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

/** Answers a shell: what may stand where the cursor is. @param argv what follows `svc complete` */
export async function complete(
  program: Command,
  argv: readonly string[],
  { environment }: ProcessContext,
): Promise<void> {
  const root = await completionOf(program);
  const ids = await knownIds(environment);
  for (const [path, command] of root.commands)
    for (const [name, argument] of command.arguments) {
      const kind = kindOf(path, name);
      if (kind !== undefined)
        argument.handler = (found) => {
          for (const { id, label } of idsOf(ids, kind)) found(id, label);
        };
    }
  root.parse(argv[0] === '--' ? argv.slice(1) : [...argv]);
}

const idsOf = (ids: readonly KnownId[], kind: string) => ids.filter(({ id }) => id.startsWith(kind));

function kindOf(path: string, argument: string): string | undefined {
  if (argument === 'dead-letter') return 'dlq_';
  return ['id', 'webhook', 'event'].includes(argument) ? KINDS[path.split(' ')[0]!] : undefined;
}

/** The tree as the completions know it. Loaded here alone: no command but this needs it. */
export async function completionOf(program: Command): Promise<RootCommand> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  const root = tab(program, { completionCommandName: OWN });
  root.commands.delete(OWN);
  return root;
}

/** The adapter adds a command that prints the scripts; ours is `completion`. */
const OWN = 'completion-script';
