import { readFile } from 'node:fs/promises';
import { text as textFrom } from 'node:stream/consumers';
import { ApiError } from '@trading-automation/sdk';
import type { Context, Register } from '../context.js';
import { UsageError } from '../failures.js';
import { jsonOrText, namedText } from '../json/named-values.js';

import { signedClient, withRealtime } from '../live/signed-client.js';
import { safeLine, safeText } from '../terminal/text-of.js';
import { withExamples } from './group.js';
import { collect } from './listen.js';

interface Options {
  readonly file?: string;
  readonly var?: readonly string[];
  readonly subscribe?: boolean;
}

export const registerGraphql: Register = (program, run) => {
  const command = program
    .command('graphql')
    .summary('send a GraphQL operation')
    .description(
      'Sends an operation to the GraphQL API, signed with the key pair of the profile, and prints the data as JSON.',
    )
    .argument('[document]', 'a query, a mutation or a subscription; pass - to read it from stdin')
    .option('-f, --file <file>', 'read the document from a file')
    .option('--var <name=value>', 'a variable; the value is JSON or a string (repeatable)', collect)
    .option('--subscribe', 'run a subscription: one line of JSON per event, until Ctrl-C')
    .action(
      run<readonly [string | undefined], Options>((context, [document], options) =>
        execute(context, document, options),
      ),
    );
  withExamples(
    command,
    "svc graphql '{ me { id } }'",
    "svc graphql -f filled.graphql --var n=3 --jq '.trades.nodes[].cost'",
    "svc graphql --subscribe 'subscription ($pair: ID!) { orderbookUpdate(tradePairId: $pair, depth: 1) { kind sequence bids asks } }' --var pair=tpr_01jd7x0000e6w9k3v5t7q2m8np",
  );
};

async function execute(context: Context, argument: string | undefined, options: Options): Promise<void> {
  const document = await documentOf(context, argument, options.file);
  const variables = variablesOf(options.var ?? []);
  if (options.subscribe === true) return subscribe(context, document, variables);
  const client = await signedClient(context);
  try {
    await printData(context, await client.graphql(document, variables, { signal: context.signal }));
  } catch (error) {
    // Some fields of an operation may fail; the data of the others is printed.
    const partial = error instanceof ApiError ? error.graphql?.data : undefined;
    if (hasData(partial)) await printData(context, partial);
    throw error;
  }
}

async function subscribe(
  context: Context,
  document: string,
  variables: Record<string, unknown>,
): Promise<void> {
  const { print, signal } = context;
  await withRealtime(context, async (realtime) => {
    for await (const data of realtime.subscribe(document, variables, { signal }))
      await print.streamItem(data, safeLine(JSON.stringify(data)));
  });
}

async function documentOf(
  { terminal }: Context,
  argument: string | undefined,
  file: string | undefined,
): Promise<string> {
  if ((argument === undefined) === (file === undefined))
    throw new UsageError('Pass one document, as the argument or with -f.');
  if (argument === '-' || file === '-') return textFrom(terminal.stdin);
  if (argument !== undefined) return argument;
  try {
    return await readFile(file as string, 'utf8');
  } catch (error) {
    throw new UsageError(`-f: ${(error as Error).message}`);
  }
}

function variablesOf(assignments: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    assignments.map((each) => {
      const [name, text] = namedText('--var', each);
      return [name, jsonOrText(text)];
    }),
  );
}

async function printData({ print, settings, terminal }: Context, data: unknown): Promise<void> {
  if (settings.jq !== undefined || (settings.json ?? []).length > 0) return print.record(data);
  const isIndented = terminal.isScreen || settings.json !== undefined;
  await print.line(safeText(JSON.stringify(data, null, isIndented ? 2 : 0)));
}

function hasData(data: unknown): boolean {
  return typeof data === 'object' && data !== null && Object.values(data).some((value) => value !== null);
}
