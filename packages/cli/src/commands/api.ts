import { type Client, UnexpectedAnswerError } from '@trading-automation/sdk';
import type { Context, Register } from '../context.js';
import { UsageError } from '../failures.js';
import { indented, parseKeepingDigits } from '../json/json-text.js';
import { jsonOrText, namedText, putAt } from '../json/named-values.js';
import { textFrom } from '../operations/input-files.js';
import { withIdempotencyKey } from '../operations/with-idempotency-key.js';
import { safeLine } from '../terminal/text-of.js';
import { withExamples } from './group.js';
import { collect } from './listen.js';

interface Options {
  readonly field?: readonly string[];
  readonly input?: string;
  readonly paginate?: boolean;
  readonly include?: boolean;
}

interface ApiRequest {
  readonly method: Method;
  readonly path: string;
  readonly body: unknown;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

export const registerApi: Register = (program, run) => {
  const command = program
    .command('api')
    .summary('make any request of the API')
    .description(
      'Makes any request of the API, with the credential of the profile, and prints the answer as it came.',
    )
    .argument('<method>', METHODS.join(', '))
    .argument('<path>', 'with its query: /v1/trades?status=FILLED')
    .option(
      '-f, --field <name=value>',
      'of the query of a GET, else of the body; a.b=1 nests (repeatable)',
      collect,
    )
    .option('--input <file>', 'the body, JSON, from a file; - reads stdin')
    .option('--paginate', 'every page of a list, as one array')
    .option('-i, --include', "print the answer's status and headers, too")
    .action(
      run<readonly [string, string], Options>((context, [method, path], options) =>
        callApi(context, method, path, options),
      ),
    );
  withExamples(
    command,
    'svc api GET /v1/me',
    "svc api GET /v1/trades -f status=FILLED --paginate --jq '.[].cost'",
    'svc api POST /v1/api-keys -f name=bot -f permissions=\'["READ"]\'',
    'svc api POST /v1/trades --input order.json',
  );
};

async function callApi(context: Context, method: string, path: string, options: Options): Promise<void> {
  const asked = await parseRequest(context, method, path, options);
  const client = await context.client();
  if (options.paginate === true) return printPages(context, client, asked.path);
  const response =
    asked.method === 'POST'
      ? await withIdempotencyKey(context, (idempotencyKey) =>
          responseTo(client, asked, context.signal, idempotencyKey),
        )
      : await responseTo(client, asked, context.signal);
  if (options.include === true) await context.print.line(headOf(response));
  await printText(context, await response.text());
}

async function parseRequest(
  context: Context,
  given: string,
  path: string,
  options: Options,
): Promise<ApiRequest> {
  const method = METHODS.find((each) => each === given.toUpperCase());
  if (method === undefined) throw new UsageError(`${safeLine(given)} is no method: ${METHODS.join(', ')}.`);
  if (!path.startsWith('/'))
    throw new UsageError(`The path begins with /, like /v1/me, and is ${safeLine(path)}.`);
  if (options.input !== undefined && options.field !== undefined)
    throw new UsageError('--input is the whole body: --field goes without it.');
  if (options.paginate === true && method !== 'GET')
    throw new UsageError('--paginate is for a GET of a list.');
  if (options.input !== undefined && method === 'GET')
    throw new UsageError('A GET has no body: --input is for others.');
  if (method === 'GET') return { method, path: path + searchOf(path, options.field ?? []), body: undefined };
  if (options.input !== undefined)
    return { method, path, body: bodyOf(await textFrom(context, options.input)) };
  return { method, path, body: options.field === undefined ? undefined : recordOf(options.field) };
}

function bodyOf(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch (error) {
    throw new UsageError(`--input is no JSON: ${safeLine((error as Error).message)}`);
  }
}

function searchOf(path: string, fields: readonly string[]): string {
  if (fields.length === 0) return '';
  const search = new URLSearchParams(fields.map((field) => [...namedText('--field', field)])).toString();
  return `${path.includes('?') ? '&' : '?'}${search}`;
}

/** The object in `a.b=1` texts. Numbers keep their digits: the API takes decimals as text, too. */
function recordOf(fields: readonly string[]): unknown {
  const record: Record<string, unknown> = {};
  for (const field of fields) {
    const [path, text] = namedText('--field', field);
    putAt(record, path, jsonOrText(text), true);
  }
  return record;
}

async function responseTo(
  client: Client<'string'>,
  { method, path, body }: ApiRequest,
  signal: AbortSignal,
  idempotencyKey?: string,
) {
  const options = { signal };
  switch (method) {
    case 'GET':
      return client.get(path, {}, options).asResponse();
    case 'POST':
      return client.post(path, body, { signal, idempotencyKey }).asResponse();
    case 'PUT':
      return client.put(path, body, options).asResponse();
    case 'PATCH':
      return client.patch(path, body, options).asResponse();
    case 'DELETE':
      return client.delete(path, body, options).asResponse();
  }
}

/** As it came; a screen gets it laid out, and `--json` and `--jq` what they ask for. */
async function printText({ print, settings, terminal }: Context, text: string): Promise<void> {
  if (settings.jq !== undefined || (settings.json ?? []).length > 0) return print.record(JSON.parse(text));
  await print.line(terminal.isScreen || settings.json !== undefined ? safeIndented(text) : text);
}

/** JSON escapes the control characters below 32 itself. */
function safeIndented(text: string): string {
  return indented(text).split('\n').map(safeLine).join('\n');
}

async function printPages(context: Context, client: Client<'string'>, path: string): Promise<void> {
  const { settings, signal } = context;
  const items: unknown[] = [];
  try {
    for await (const item of client.list(path, {}, { signal })) {
      items.push(item);
      if (items.length === settings.limit) break;
    }
  } catch (error) {
    if (!(error instanceof UnexpectedAnswerError)) throw error;
    throw new UsageError(`${safeLine(path)} answers no list: leave --paginate out.`);
  }
  await printText(context, JSON.stringify(items));
}

function headOf(response: Response): string {
  const headers = [...response.headers].map(([name, value]) => safeLine(`${name}: ${value}`));
  return [`HTTP ${response.status}`, ...headers, ''].join('\n');
}
