/**
 * Registers the commands that call one operation: parses flags, sends the request and prints the
 * response.
 */
import { type Command, Option } from 'commander';
import { rememberIds } from '../completion/known-ids.js';
import type { Context, Register, Runner } from '../context.js';
import { UsageError } from '../failures.js';
import { OPERATIONS } from '../generated/operations.js';
import { jsonOrText } from '../json/named-values.js';
import { call, list } from '../operations/call.js';
import {
  assertRequired,
  bodyOf,
  merged,
  type OptionValues,
  objectOptions,
  optionOf,
} from '../operations/flags.js';
import { objectFrom } from '../operations/input-files.js';
import type { Field, OperationInfo } from '../operations/operation-info.js';
import { accountOf, pairIdOf, pairOfUser } from '../operations/references.js';
import type { World } from '../profile/settings.js';
import { credentialsOption, readCredentials } from './exchange-credentials.js';
import { groupIn, withExamples } from './group.js';
import type { OperationCommand } from './operation-command.js';
import { OPERATION_COMMANDS } from './operation-commands.js';

export const registerOperationCommands: Register = (program, run) => {
  for (const row of OPERATION_COMMANDS) addOperationCommand(program, run, row);
};

const infoOf = ({ operation }: OperationCommand): OperationInfo => OPERATIONS[operation];

/** Returns the names of the path parameters, in order. */
const paramsOf = ({ path }: OperationInfo) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

const argsOf = (row: OperationCommand, info: OperationInfo) =>
  row.args ?? paramsOf(info).filter((name) => row.flagOfParam?.[name] === undefined);

function addOperationCommand(program: Command, run: Runner, row: OperationCommand): void {
  const info = infoOf(row);
  const words = row.command.split(' ');
  const command = groupIn(program, ...words.slice(0, -1))
    .command(words.at(-1)!)
    .description(asFlags(info.summary))
    .summary(info.summary.split(/[;:.]/)[0]!);
  for (const name of argsOf(row, info)) command.argument(`<${argumentName(row, name)}>`);
  for (const option of optionsOf(row, info)) command.addOption(option);
  withExamples(command, ...row.examples);
  if (info.members.length > 0) command.addHelpText('after', () => `\n${membersHelp(command, info)}`);
  command.action(
    run<readonly string[], OptionValues>(async (context, args, options) => {
      await runOperationCommand(context, row, args, options);
    }),
  );
}

/** Rewrites a query parameter in a summary, such as `visibility=PUBLIC`, as a flag. */
const asFlags = (summary: string) => summary.replace(/`([a-z_]+)=(\w+)`/g, '`--$1 $2`');

function membersHelp(command: Command, { members }: OperationInfo): string {
  const { getOutHelpWidth } = command.configureOutput();
  return command.createHelp().boxWrap(`Fields for --json: ${members.join(', ')}`, getOutHelpWidth?.() ?? 80);
}

/**
 * Returns the name of an argument in the help. `dlq_id` is shown as `dead-letter`. For dead letters and deliveries,
 * `id` is shown as `webhook`.
 */
function argumentName({ operation }: OperationCommand, name: string): string {
  if (name === 'dlq_id') return 'dead-letter';
  if (name === 'id' && /^(?:deadLetters|webhooks\.deliveries)/.test(operation)) return 'webhook';
  return name.replace(/_id$/, '').replaceAll('_', '-');
}

function optionsOf(row: OperationCommand, info: OperationInfo): readonly Option[] {
  const argumentNames = argsOf(row, info);
  const fields = [...info.query, ...info.body].filter(
    ({ path }) => !argumentNames.includes(path) && !isCredential(path),
  );
  return [
    ...Object.entries(row.flagOfParam ?? {}).map(([, flag]) =>
      new Option(`--${flag} <id>`, `id of the ${flag}`).makeOptionMandatory(),
    ),
    ...shortFlagsOf(fields),
    ...objectOptions(fields),
    ...fields.map((field) => optionOf(field).hideHelp(hasShortFlag(field, fields))),
    ...(info.list === undefined ? [] : listOptions(info.list)),
    ...(row.exchangeCredentials === undefined ? [] : credentialsOption(row.exchangeCredentials)),
    ...(info.body.length > argumentNames.length || row.exchangeCredentials !== undefined
      ? [
          new Option(
            '--from-file <file>',
            'read the JSON body from a file; pass - to read stdin; flags override it',
          ),
        ]
      : []),
  ];
}

const isCredential = (path: string) => path.startsWith('credentials.');

function shortFlagsOf(fields: readonly Field[]): readonly Option[] {
  const fieldAt = (name: string) => fields.find(({ path }) => path === name);
  const account = fieldAt('exchange_account_id');
  const accountDefault = account?.isRequired === true ? '; default: your account, if you have only one' : '';
  return [
    ...(account === undefined
      ? []
      : [new Option('--account <name>', `name or id of the exchange account${accountDefault}`)]),
    ...(fieldAt('trade_pair_id') !== undefined && account !== undefined
      ? [new Option('--pair <symbol>', 'symbol or id of the pair: BTC/USDT')]
      : []),
  ];
}

/**
 * Returns whether `--account` or `--pair` also accepts the id in this field. The help then hides the flag that is named
 * after the field.
 */
const hasShortFlag = ({ path }: Field, fields: readonly Field[]) =>
  shortFlagsOf(fields).some(({ long }) => SHORT_FLAGS[path] === long);

const SHORT_FLAGS: Readonly<Record<string, string>> = {
  exchange_account_id: '--account',
  trade_pair_id: '--pair',
};

function listOptions({ sorts, includes }: NonNullable<OperationInfo['list']>): readonly Option[] {
  return [
    new Option('--sort <field>', 'field to sort by').choices(sorts),
    new Option('--order <order>', 'sort order; default: desc').choices(['asc', 'desc']),
    ...(includes.length === 0
      ? []
      : [new Option('--include <what>', 'additional items or counts').choices(includes)]),
  ];
}

/** Runs a command: builds the request, confirms, calls the operation and prints the response. */
async function runOperationCommand(
  context: Context,
  row: OperationCommand,
  args: readonly string[],
  options: OptionValues,
): Promise<void> {
  const info = infoOf(row);
  assertKnownFields(context, info);
  if (info.method !== 'GET' && context.settings.world === 'live') warnLive(context);
  const client = info.access === 'PUBLIC' ? context.anonymousClient() : await context.client();
  const argumentValues = Object.fromEntries(argsOf(row, info).map((name, at) => [name, args[at]!]));
  const query = {
    ...bodyOf(info.query, options),
    ...(info.list === undefined ? {} : pickSet(options, ['sort', 'order', 'include'])),
    ...(await filterIds(context, client, info, options)),
  };
  const body = await buildBody(context, client, row, argumentValues, options);
  const params = { ...pickParams(info, argumentValues), ...flagParams(row, options) };
  await confirmCommand(context, row, { ...query, ...params, ...body });
  const request = { params, query, body: isEmpty(body) && !needsBody(info) ? undefined : body };
  if (info.list !== undefined) {
    const { items, hasMore } = await context.progress('Reading', () => list(context, client, info, request));
    await rememberIds(context, items);
    await context.print.records(items, row.columns ?? info.members.slice(0, 5), { hasMore });
    return;
  }
  const data = await context.progress(info.summary, () => call(context, client, info, request));
  await context.print.record(data);
  if (row.secret !== undefined)
    context.print.warn(`the ${row.secret} is shown only once. Store it in a safe place.`);
}

/** Rejects unknown --json fields before any request is sent. */
function assertKnownFields({ settings: { json = [] } }: Context, { members, path }: OperationInfo): void {
  const unknown = json.find((field) => !members.includes(field.split('.')[0]!));
  if (unknown === undefined || members.length === 0) return;
  const hint = path.includes(':')
    ? ' The word after --json is parsed as field names: put ids before --json.'
    : '';
  throw new UsageError(`--json: unknown field ${unknown}.`, `Fields: ${members.join(', ')}.${hint}`);
}

async function buildBody(
  context: Context,
  client: Awaited<ReturnType<Context['client']>>,
  row: OperationCommand,
  argumentValues: OptionValues,
  options: OptionValues,
): Promise<OptionValues> {
  const info = infoOf(row);
  if (info.body.length === 0) return {};
  const { fromFile } = options as { readonly fromFile?: string };
  const file = fromFile === undefined ? {} : await objectFrom(context, fromFile);
  const flags = bodyOf(info.body, options);
  const argumentFields = Object.fromEntries(
    info.body
      .filter(({ path }) => argumentValues[path] !== undefined)
      .map(({ path, type }) => [
        path,
        type === 'json' ? jsonOrText(String(argumentValues[path])) : argumentValues[path],
      ]),
  );
  let body = merged(file, { ...flags, ...argumentFields });
  body = { ...body, ...(await referencesIn(context, client, info, body, options)) };
  if (row.exchangeCredentials !== undefined) {
    const credentials = await readCredentials(context, row.exchangeCredentials, options, body);
    if (credentials !== undefined) body = { ...body, credentials };
  }
  assertRequired(info, body);
  if (info.method === 'PATCH' && isEmpty(body))
    throw new UsageError('Pass at least one field to change.', 'See --help.');
  return body;
}

/** Resolves `--account` and `--pair` to ids. A required account defaults to the only account that can trade the pair. */
async function referencesIn(
  context: Context,
  client: Awaited<ReturnType<Context['client']>>,
  { body: fields }: OperationInfo,
  body: OptionValues,
  options: OptionValues,
): Promise<OptionValues> {
  const field = fields.find(({ path }) => path === 'exchange_account_id');
  if (field === undefined) return {};
  const { account: name, pair } = options as { readonly account?: string; readonly pair?: string };
  const id = body.exchange_account_id as string | undefined;
  if (name !== undefined && id !== undefined)
    throw new UsageError('Pass either --account or --exchange-account-id, not both.');
  const isNeeded =
    name !== undefined || pair !== undefined || (id === undefined && field.isRequired === true);
  if (!isNeeded) return {};
  const account = await accountOf(
    context,
    client,
    name ?? id,
    pair ?? (body.trade_pair_id as string | undefined),
  );
  return {
    exchange_account_id: account.id,
    ...(pair === undefined ? {} : { trade_pair_id: await pairIdOf(context, client, pair, account) }),
  };
}

/** Resolves `--account` and `--pair` of a read to ids. Without an account, the pair is one that the user's accounts can trade. */
async function filterIds(
  context: Context,
  client: Awaited<ReturnType<Context['client']>>,
  { query }: OperationInfo,
  options: OptionValues,
): Promise<OptionValues> {
  if (!query.some(({ path }) => path === 'exchange_account_id')) return {};
  const { account: name, exchangeAccountId, pair, tradePairId } = options as Readonly<Record<string, string>>;
  if (name !== undefined && exchangeAccountId !== undefined)
    throw new UsageError('Pass either --account or --exchange-account-id, not both.');
  if (pair !== undefined && tradePairId !== undefined)
    throw new UsageError('Pass either --pair or --trade-pair-id, not both.');
  const given = name ?? (pair === undefined ? undefined : exchangeAccountId);
  const account = given === undefined ? undefined : await accountOf(context, client, given);
  return {
    ...(account === undefined ? {} : { exchange_account_id: account.id }),
    ...(pair === undefined ? {} : { trade_pair_id: await pairOfUser(context, client, pair, account) }),
  };
}

async function confirmCommand(
  context: Context,
  { confirm }: OperationCommand,
  input: OptionValues,
): Promise<void> {
  if (confirm === undefined || context.settings.isConfirmed) return;
  const isLive = (await resolveWorld(context)) === 'live';
  if (confirm.when === 'live' && !isLive) return;
  if (isLive && context.settings.world === undefined) warnLive(context);
  const asked = typeof confirm.question === 'string' ? confirm.question : confirm.question(input);
  const question = asked.replace(/\{(\w+)\}/g, (_, name: string) => String(input[name] ?? '?'));
  const { inputToRetype } = confirm;
  const textToType = isLive && inputToRetype !== undefined ? String(input[inputToRetype]) : undefined;
  await context.confirm(question, textToType);
}

/** Prints a LIVE label before a command that uses real money. */
function warnLive({ print, settings }: Context): void {
  print.live(settings.profile);
}

const pickSet = (options: OptionValues, names: readonly string[]): OptionValues =>
  Object.fromEntries(
    names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  );

const pickParams = (info: OperationInfo, argumentValues: OptionValues) =>
  Object.fromEntries(
    paramsOf(info)
      .filter((name) => argumentValues[name] !== undefined)
      .map((name) => [name, String(argumentValues[name])]),
  );

const flagParams = ({ flagOfParam = {} }: OperationCommand, options: OptionValues) =>
  Object.fromEntries(Object.entries(flagOfParam).map(([param, flag]) => [param, String(options[flag])]));

const isEmpty = (body: OptionValues) => Object.keys(body).length === 0;
const needsBody = ({ body }: OperationInfo) => body.some(({ isRequired }) => isRequired);

/** Returns the world (`live` is real money) of the credential or the profile; asks the API if neither has one. */
async function resolveWorld(context: Pick<Context, 'settings' | 'signal' | 'client'>): Promise<World> {
  const known = context.settings.world;
  if (known !== undefined) return known;
  const { world } = await (await context.client()).me.get({ signal: context.signal });
  return world === 'test' ? 'test' : 'live';
}
