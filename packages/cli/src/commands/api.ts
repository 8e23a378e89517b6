import { type Client, UnexpectedAnswerError } from '@trading-automation/sdk';
import type { Context, Register } from '../context.js';
import { UsageError } from '../failures.js';
import { indented, parseKeepingDigits } from '../json/json-text.js';
import { jsonOrText, namedText, setAtPath } from '../json/named-values.js';
import { textFrom } from '../operations/input-files.js';
import { withIdempotencyKey } from '../operations/with-idempotency-key.js';
import { safeLine, safeText } from '../terminal/text-of.js';
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
    .summary('send any request to the API')
    .description(
      'Sends any request to the API with the credential of the profile and prints the response unchanged.',
    )
    .argument('<method>', METHODS.join(', '))
    .argument('<path>', 'including the query: /v1/trades?status=FILLED')
    .option(
      '-f, --field <name=value>',
      'query parameter of a GET, or body field of another method; a.b=1 sets a nested field (repeatable)',
      collect,
    )
    .option('--input <file>', 'read the JSON body from a file; pass - to read stdin')
    .option('--paginate', 'print all pages of a list as one array')
    .option('-i, --include', 'also print the response status and headers')
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
  const request = await parseRequest(context, method, path, options);
  const client = await context.client();
  if (options.paginate === true) return printPages(context, client, request.path);
  const response =
    request.method === 'POST'
      ? await withIdempotencyKey(context, (idempotencyKey) =>
          responseTo(client, request, context.signal, idempotencyKey),
        )
      : await responseTo(client, request, context.signal);
  if (options.include === true) await context.print.line(statusAndHeadersOf(response));
  await printText(context, await response.text());
}

async function parseRequest(
  context: Context,
  verb: string,
  path: string,
  options: Options,
): Promise<ApiRequest> {
  const method = METHODS.find((each) => each === verb.toUpperCase());
  if (method === undefined)
    throw new UsageError(`The method must be one of ${METHODS.join(', ')}; got ${safeLine(verb)}.`);
  if (!path.startsWith('/'))
    throw new UsageError(`The path must start with /, such as /v1/me; got ${safeLine(path)}.`);
  if (options.input !== undefined && options.field !== undefined)
    throw new UsageError('--input and --field cannot be combined: --input is the whole body.');
  if (options.paginate === true && method !== 'GET') throw new UsageError('--paginate works only with GET.');
  if (options.input !== undefined && method === 'GET')
    throw new UsageError('A GET has no body. Use --input with another method.');
  if (method === 'GET')
    return { method, path: path + querySuffixOf(path, options.field ?? []), body: undefined };
  if (options.input !== undefined)
    return { method, path, body: bodyOf(await textFrom(context, options.input)) };
  return { method, path, body: options.field === undefined ? undefined : bodyFrom(options.field) };
}

function bodyOf(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch (error) {
    throw new UsageError(`--input is not valid JSON: ${safeLine((error as Error).message)}`);
  }
}

function querySuffixOf(path: string, fields: readonly string[]): string {
  if (fields.length === 0) return '';
  const search = new URLSearchParams(fields.map((field) => [...namedText('--field', field)])).toString();
  return `${path.includes('?') ? '&' : '?'}${search}`;
}

/** Builds an object from strings such as `a.b=1`. Long numbers become strings, so that they keep their digits. */
function bodyFrom(fields: readonly string[]): unknown {
  const record: Record<string, unknown> = {};
  for (const field of fields) {
    const [path, text] = namedText('--field', field);
    setAtPath(record, path, jsonOrText(text), true);
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

/**
 * Prints a response. With `--jq` or with fields in `--json`, prints only what they select. Otherwise indents the response
 * on a screen or with `--json`, and leaves it unchanged in a pipe.
 */
async function printText({ print, settings, terminal }: Context, text: string): Promise<void> {
  if (settings.jq !== undefined || (settings.json ?? []).length > 0) return print.record(JSON.parse(text));
  await print.line(terminal.isScreen || settings.json !== undefined ? safeIndented(text) : text);
}

/** Escapes the control characters that JSON does not escape: those with a code of 127 or more. */
function safeIndented(text: string): string {
  return safeText(indented(text));
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
    throw new UsageError(`${safeLine(path)} does not return a list. Omit --paginate.`);
  }
  await printText(context, JSON.stringify(items));
}

function statusAndHeadersOf(response: Response): string {
  const headers = [...response.headers].map(([name, value]) => safeLine(`${name}: ${value}`));
  return [`HTTP ${response.status}`, ...headers, ''].join('\n');
}
