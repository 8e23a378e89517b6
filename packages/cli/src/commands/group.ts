import { Command } from 'commander';

/** Descriptions of the command groups. */
const GROUPS: Readonly<Record<string, string>> = {
  'api-keys': 'API keys',
  auth: 'log in and out',
  config: 'settings of a profile',
  copiers: 'copiers: each copies a strategy to one of your accounts',
  'dead-letters': 'deliveries whose attempts all failed',
  dev: 'the local platform of a clone',
  events: 'events of your account',
  exchanges: 'exchange accounts',
  health: 'health of the API',
  keys: "the profile's key pair",
  me: 'your account',
  notifications: 'notifications',
  pairs: 'pairs that can be traded',
  profile: 'profiles: each has an address and a credential',
  'public-keys': 'key pairs linked to your account',
  positions: 'positions in perpetuals',
  'request-log': 'requests that your credentials sent',
  rewards: 'rewards',
  sessions: 'browser sessions',
  settings: 'settings of your account',
  signals: 'signals of strategies',
  strategies: 'strategies: sources of signals',
  trades: 'trades',
  webhooks: 'webhooks',
  withdrawals: 'withdrawals of reward tokens',
  'withdrawal-addresses': 'addresses that you can withdraw to',
};

/** The commands under each heading of the program's help. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  'This machine:': ['auth', 'profile', 'config', 'completion', 'dev', 'open', 'docs', 'help'],
  'Trading:': [
    'exchanges',
    'supported-exchanges',
    'pairs',
    'orderbook',
    'trades',
    'lots',
    'positions',
    'strategies',
    'copiers',
    'signals',
    'emergency-stop',
  ],
  'Account:': [
    'me',
    'rewards',
    'withdrawals',
    'withdrawal-addresses',
    'notifications',
    'settings',
    'api-keys',
    'public-keys',
    'sessions',
  ],
  'Developers:': [
    'listen',
    'trigger',
    'webhooks',
    'events',
    'request-log',
    'api',
    'graphql',
    'doctor',
    'health',
    'version',
  ],
};

/** Assigns every command to its heading. */
export function groupUnderHeadings(program: Command): void {
  for (const [heading, names] of Object.entries(HEADINGS))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('show help of a command')
      .helpGroup('This machine:'),
  );
}

/** Returns a command group and creates it if needed: `groupIn(program, 'webhooks', 'dead-letters')`. */
export function groupIn(program: Command, ...path: readonly string[]): Command {
  return path.reduce((parent, name) => {
    const existing = parent.commands.find((command) => command.name() === name);
    return existing ?? parent.command(name).description(GROUPS[name] ?? name);
  }, program);
}

/** Adds examples to a command's help, one line each. */
export function withExamples(command: Command, ...lines: readonly string[]): Command {
  const exampleLines = lines.map((line) => `  $ ${line}`).join('\n');
  return command.addHelpText('after', `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${exampleLines}`);
}
