import { Command } from 'commander';

/** What stands in a group's help. */
const GROUPS: Readonly<Record<string, string>> = {
  'api-keys': 'API keys',
  auth: 'log in and out',
  config: 'settings of a profile',
  copiers: 'copiers: they follow a strategy on an account of yours',
  'dead-letters': 'deliveries that were given up',
  dev: 'the local stack of a checkout',
  events: 'what happened to your account',
  exchanges: 'exchange accounts',
  health: 'how the API is',
  keys: "the profile's key pair",
  me: 'your account',
  notifications: 'notifications',
  pairs: 'what can be traded',
  profile: 'profiles: an address and a credential each',
  'public-keys': 'key pairs that are linked to your account',
  rewards: 'rewards',
  settings: 'settings of your account',
  signals: 'signals of strategies',
  strategies: 'strategies: sources of signals',
  trades: 'trades',
  webhooks: 'webhooks',
  withdrawals: 'withdrawals of reward tokens',
};

/** Headings of the program's help, and what stands under each. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  'This machine:': ['auth', 'profile', 'config', 'completion', 'dev', 'open', 'docs', 'help'],
  'Trading:': [
    'exchanges',
    'supported-exchanges',
    'pairs',
    'orderbook',
    'trades',
    'strategies',
    'copiers',
    'signals',
    'emergency-stop',
  ],
  'Account:': ['me', 'rewards', 'withdrawals', 'notifications', 'settings', 'api-keys', 'public-keys'],
  'Developers:': ['listen', 'trigger', 'webhooks', 'events', 'api', 'graphql', 'doctor', 'health', 'version'],
};

/** Puts every command of the program under its heading. */
export function underHeadings(program: Command): void {
  for (const [heading, names] of Object.entries(HEADINGS))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  program.addHelpCommand(
    new Command('help').argument('[command]').description('help of a command').helpGroup('This machine:'),
  );
}

/** The command that holds others, made where it is not there yet: `groupIn(program, 'webhooks', 'dead-letters')`. */
export function groupIn(program: Command, ...path: readonly string[]): Command {
  return path.reduce((parent, name) => {
    const there = parent.commands.find((command) => command.name() === name);
    return there ?? parent.command(name).description(GROUPS[name] ?? name);
  }, program);
}

/** Examples under a command's help, each a line as it is typed. */
export function withExamples(command: Command, ...lines: readonly string[]): Command {
  const shown = lines.map((line) => `  $ ${line}`).join('\n');
  return command.addHelpText('after', `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${shown}`);
}
