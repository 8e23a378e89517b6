/** Calls operations of the table through the SDK, which signs, repeats and tells refusals. */
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

/** Items of a list, as many as the settings say. */
export interface Listed {
  readonly items: readonly unknown[];
  readonly hasMore: boolean;
}

const PAGE_MAX = 100;

/** `data` of the answer. */
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

/** One page unless `--limit` or `--all` say otherwise; pages hang together by cursor, so that none doubles an item. */
export async function list(
  { settings, signal }: Pick<Context, 'settings' | 'signal'>,
  client: Client<'string'>,
  { path }: Pick<OperationInfo, 'path'>,
  { params, query }: Call,
): Promise<Listed> {
  const wanted = settings.all ? Number.POSITIVE_INFINITY : settings.limit;
  const limit = wanted === undefined ? undefined : Math.min(wanted, PAGE_MAX);
  const items: unknown[] = [];
  let hasMore = false;
  for await (const page of client.list(pathOf(path, params), { ...query, limit }, { signal }).iterPages()) {
    items.push(...page.data);
    hasMore = page.hasNextPage();
    if (items.length >= (wanted ?? 0)) break;
  }
  return { items: items.slice(0, wanted), hasMore: hasMore || items.length > (wanted ?? Infinity) };
}

function pathOf(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => segmentOf(params[name] ?? ''));
}

/** An empty one, or one that means a place above, would be another route. */
function segmentOf(given: string): string {
  if (/^\.{0,2}$/.test(given))
    throw new UsageError(`An id is a text that is not empty, not ${JSON.stringify(given)}.`);
  return encodeURIComponent(given);
}
