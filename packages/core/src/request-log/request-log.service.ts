import {
  decodeId,
  encodeId,
  type IdPrefix,
  type LoggedRequest,
  type QueryOf,
  REQUEST_LOG_DAYS,
  requestLogOperations,
} from '@trading-automation/contracts';
import { allColumns, hydrate } from '@trading-automation/persistence';
import {
  type Actor,
  authorise,
  CREDENTIAL_PREFIXES,
  type ListQuery,
  type ListReader,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { RequestLogEntity } from './request-log.entity.js';

const COLUMNS = allColumns(RequestLogEntity, 'r');

/** Lists the requests that a user's credentials sent. */
export class RequestLogService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
  ) {}

  async list(
    actor: Actor,
    query: ListQuery & QueryOf<typeof requestLogOperations.list>,
  ): Promise<PageWithCursors<LoggedRequest>> {
    authorise(actor, requestLogOperations.list.access);
    const { database } = this.platform;
    const where = ['r.user_id = $1', `r.created_at > now() - interval '${REQUEST_LOG_DAYS} days'`];
    const params: unknown[] = [actor.userId];
    if (query.status !== undefined) where.push(...statusConditions(query.status));
    if (query.method !== undefined) where.push(`r.method = $${params.push(query.method)}`);
    if (query.credential_id !== undefined)
      where.push(`r.credential_id = $${params.push(uuidOf(query.credential_id))}`);
    const source = {
      select: COLUMNS(database),
      from: 'request_log r',
      where,
      params,
      sorts: { created_at: { column: 'r.created_at', type: 'timestamptz' as const } },
      idColumn: 'r.id',
    };
    const page = await this.lists.page(requestLogOperations.list, actor.userId, source, query);
    return { ...page, items: hydrate(database, RequestLogEntity, page.items).map(view) };
  }
}

/** Returns the conditions of a status like `404` or a class like `4xx`. The contract has checked its form. */
function statusConditions(status: string): readonly string[] {
  const lowest = Number(status.replace('xx', '00'));
  const highest = status.endsWith('xx') ? lowest + 99 : lowest;
  // Constants, so that Postgres recognizes that errors have an index of their own.
  return [`r.status >= ${lowest}`, `r.status <= ${highest}`];
}

function uuidOf(credentialId: string): string | null {
  return decodeId(credentialId.slice(0, 3) as IdPrefix, credentialId);
}

function view(row: RequestLogEntity): LoggedRequest {
  return {
    id: encodeId('rqt', row.id),
    method: row.method,
    route: row.route,
    status: row.status,
    duration_ms: row.durationMs,
    request_id: row.requestId,
    credential: {
      kind: row.credentialKind,
      id: encodeId(CREDENTIAL_PREFIXES[row.credentialKind], row.credentialId),
    },
    address: row.address,
    created_at: row.createdAt.toISOString(),
  };
}
