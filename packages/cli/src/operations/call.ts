/** Calls operations through the SDK, which signs and retries requests and throws errors. */
import type { Client } from '@trading-automation/sdk';
import type { Context } from '../context.js';
import { UsageError } from '../failures.js';
import type { OperationInfo } from './operation-info.js';
import { withIdempotencyKey } from './with-idempotency-key.js';

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The items of a list, limited by the settings. */
export interface Listed {
  readonly items: readonly unknown[];
  readonly hasMore: boolean;
}

const PAGE_MAX = 100;

/** Calls an operation and returns its `data`. */
export async function call(
  context: Pick<Context, 'settings' | 'signal' | 'print'>,
  client: Client<'string'>,
  { method, path }: Pick<OperationInfo, 'method' | 'path'>,
  { params, query, body }: Call,
): Promise<unknown> {
  const target = pathOf(path, params);
  const options = { signal: context.signal };
  switch (method) {
    case 'GET':
      return client.get(target, query, options);
    case 'POST':
      return withIdempotencyKey(context, (idempotencyKey) =>
        client.post(target, body, { ...options, idempotencyKey }),
      );
    case 'PUT':
      return client.put(target, body, options);
    case 'PATCH':
      return client.patch(target, body, options);
    case 'DELETE':
      return client.delete(target, body, options);
  }
}

/** Lists one page by default, or as many items as `--limit` or `--all` requests. Cursors prevent repeated items. */
export async function list(
  { settings, signal }: Pick<Context, 'settings' | 'signal'>,
  client: Client<'string'>,
  { path }: Pick<OperationInfo, 'path'>,
  { params, query }: Call,
): Promise<Listed> {
  const count = settings.all ? Number.POSITIVE_INFINITY : settings.limit;
  const limit = count === undefined ? undefined : Math.min(count, PAGE_MAX);
  const items: unknown[] = [];
  let hasMore = false;
  for await (const page of client.list(pathOf(path, params), { ...query, limit }, { signal }).iterPages()) {
    items.push(...page.data);
    hasMore = page.hasNextPage();
    if (items.length >= (count ?? 0)) break;
  }
  return { items: items.slice(0, count), hasMore: hasMore || items.length > (count ?? Infinity) };
}

function pathOf(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => segmentOf(params[name] ?? ''));
}

/** Encodes a path segment. @throws {UsageError} if it is empty, `.` or `..`, which would address another route */
function segmentOf(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new UsageError(`The id is invalid: ${JSON.stringify(id)}.`);
  return encodeURIComponent(id);
}
