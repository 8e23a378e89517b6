import { Option } from 'commander';
import type { Context, Register } from '../context.js';
import { checkoutAbove, findRunningStack, type Stack } from '../dev/checkout.js';
import { type Launch, runDetached, runInForeground, stop } from '../dev/launcher.js';
import {
  balancesOf,
  linkPaperAccount,
  openPaperAccount,
  PRACTICE_TYPES,
  type PracticeType,
  practiceAccountOf,
} from '../dev/practice-account.js';
import { UsageError } from '../failures.js';
import { groupIn, withExamples } from './group.js';
import { collect } from './listen.js';

interface UpOptions {
  readonly detach?: boolean;
}
interface SeedOptions {
  readonly paperUrl?: string;
  readonly name?: string;
  readonly tradingType: PracticeType;
  readonly balance?: readonly string[];
}

const ACCOUNT_NAMES = {
  spot: 'practice',
  margin: 'practice margin',
  perpetual: 'practice perpetuals',
} as const;
const INITIAL_BALANCES = ['USDT=100000', 'BTC=1'];
const INITIAL_MARGIN = 'USDT=100000';
const FUTURES_BALANCES = { USDT: '100000' };

export const registerDev: Register = (program, run) => {
  const dev = groupIn(program, 'dev');
  const upCommand = dev
    .command('up')
    .description('Runs the platform of this clone (npm start) until Ctrl-C.')
    .option('-d, --detach', 'run it in the background; return when it is ready')
    .action(run<readonly [], UpOptions>((context, _args, options) => up(context, options)));
  const downCommand = dev
    .command('down')
    .description('Stops the platform of this clone, even if another terminal started it.')
    .action(run((context) => down(context)));
  const resetCommand = dev
    .command('reset')
    .description('Restarts the platform of this clone with empty data.')
    .option('-d, --detach', 'run it in the background; return when it is ready')
    .action(run<readonly [], UpOptions>((context, _args, options) => reset(context, options)));
  withExamples(upCommand, 'svc dev up', 'svc dev up --detach');
  withExamples(downCommand, 'svc dev down');
  withExamples(resetCommand, 'svc dev reset', 'svc dev reset --detach --yes');
  const seed = dev
    .command('seed')
    .description(
      "Opens a practice account at the paper exchange and links it to the profile's account. If a practice account is already linked, prints that account.",
    )
    .option('--paper-url <url>', 'address of the paper exchange (default: that of the local platform)')
    .option(
      '--name <name>',
      `name of the exchange account (default: that of the linked account, or ${ACCOUNT_NAMES.spot})`,
    )
    .addOption(
      new Option('--trading-type <type>', 'what the account trades').choices(PRACTICE_TYPES).default('spot'),
    )
    .option(
      '--balance <currency=amount>',
      `initial balance on spot or margin (repeatable; default: ${INITIAL_BALANCES.join(', ')}, on margin ${INITIAL_MARGIN})`,
      collect,
    )
    .action(run<readonly [], SeedOptions>((context, _args, options) => seedAccount(context, options)));
  withExamples(
    seed,
    'svc dev seed',
    'svc dev seed --name copies --balance USDT=5000',
    'svc dev seed --trading-type perpetual',
    'svc dev seed --trading-type margin --balance USDT=20000',
  );
};

async function up(context: Context, { detach = false }: UpOptions): Promise<void> {
  const launch = await launchOf(context, false);
  const running = await findRunningStack(launch.checkout, launch.platform);
  if (running === undefined) return startStack(context, launch, detach);
  context.print.note(`Already running as process ${running.pid}.`);
  await context.print.record(addressesOf(running));
}

async function down(context: Context): Promise<void> {
  const { checkout, platform } = await launchOf(context, false);
  const running = await findRunningStack(checkout, platform);
  if (running === undefined) return context.print.note('The platform is not running.');
  await context.progress('Stopping', () => stop(running, platform, context.signal));
  context.print.success('Stopped.');
}

async function reset(context: Context, { detach = false }: UpOptions): Promise<void> {
  const launch = await launchOf(context, true);
  await context.confirm(`Delete all accounts, trades and keys in ${launch.checkout}/.data?`);
  const running = await findRunningStack(launch.checkout, launch.platform);
  if (running !== undefined)
    await context.progress('Stopping', () => stop(running, launch.platform, context.signal));
  await startStack(context, launch, detach);
}

async function startStack(context: Context, launch: Launch, isDetached: boolean): Promise<void> {
  if (!isDetached) return runInForeground(launch);
  const stack = await context.progress('Starting', () => runDetached(launch));
  context.print.success('Ready.');
  await context.print.record(addressesOf(stack));
}

async function launchOf({ environment, signal }: Context, isFresh: boolean): Promise<Launch> {
  const checkout = await checkoutAbove(environment.workingFolder);
  return { checkout, platform: environment.platform, isFresh, signal };
}

/** The addresses of a running platform, without its keys. */
function addressesOf({ rest_url, graphql_url, dashboard_url, paper_exchange_url, mail_url, pid }: Stack) {
  const fields = { rest_url, graphql_url, dashboard_url, paper_exchange_url, mail_url, pid };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function seedAccount(context: Context, options: SeedOptions): Promise<void> {
  const { print, signal, environment } = context;
  const balances = {
    spot: balancesOf(options.balance ?? INITIAL_BALANCES),
    margin: balancesOf(options.balance ?? [INITIAL_MARGIN]),
    futures: FUTURES_BALANCES,
  };
  const client = await context.client();
  const linked = await practiceAccountOf(client, options.tradingType, options.name, signal);
  if (linked !== undefined) {
    print.note(
      `The practice account ${linked.account_name} is already linked. Pass another --name to link one more.`,
    );
    return print.record(linked);
  }
  const { paperURL, graphqlURL } = await addressesFor(context, options);
  const account = await context.progress('Opening a practice account', async () => {
    const credentials = await openPaperAccount(environment.fetch, paperURL, balances, signal);
    const { tradingType, name = ACCOUNT_NAMES[tradingType] } = options;
    return linkPaperAccount(client, { name, tradingType }, credentials, signal);
  });
  if (graphqlURL !== undefined && context.settings.graphqlURL === undefined)
    await context.config.change(context.settings.profile, { graphql_url: graphqlURL });
  print.success(`Linked the practice account ${account.account_name}.`);
  await print.record(account);
}

/** Returns the address of the paper exchange and, unless --paper-url is set, that of the platform's GraphQL API. */
async function addressesFor(
  { environment }: Context,
  { paperUrl }: SeedOptions,
): Promise<{ readonly paperURL: string; readonly graphqlURL?: string }> {
  if (paperUrl !== undefined) {
    if (!URL.canParse(paperUrl))
      throw new UsageError(`--paper-url must be a URL; got ${JSON.stringify(paperUrl)}.`);
    return { paperURL: paperUrl };
  }
  const alternative = 'Start the platform with `svc dev up`, or pass --paper-url.';
  const checkout = await checkoutAbove(environment.workingFolder).catch(() => undefined);
  if (checkout === undefined)
    throw new UsageError(
      'The address of the paper exchange is unknown outside a clone of the repository.',
      alternative,
    );
  const stack = await findRunningStack(checkout, environment.platform);
  if (stack?.paper_exchange_url === undefined)
    throw new UsageError('The platform of this clone is not running.', alternative);
  return {
    paperURL: stack.paper_exchange_url,
    ...(stack.graphql_url === undefined ? {} : { graphqlURL: stack.graphql_url }),
  };
}
