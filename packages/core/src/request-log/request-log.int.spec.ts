import {
  encodeId,
  type LoggedRequest,
  loggedRequest,
  requestLogOperations,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { type Actor, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { RequestLogService } from './request-log.service.js';
import { clearOldRequests, slotOf } from './request-log.slots.js';
import { type RecordedRequest, RequestRecorder } from './request-recorder.js';

const DAY_MS = 86_400_000;

let core: CoreUnderTest;
let service: RequestLogService;
let recorder: RequestRecorder;
let lost: (readonly [number, unknown])[];
let actor: Actor;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  service = new RequestLogService(core.platform, core.lists);
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  lost = [];
  recorder = createRecorder();
});

const createRecorder = (flushEveryMs = 3_600_000, platform = core.platform) =>
  new RequestRecorder(platform, { flushEveryMs, onLost: (...what) => lost.push([what[0], what[1]]) });

const sent = (request: Partial<RecordedRequest> = {}): RecordedRequest => ({
  caller: actor,
  method: 'GET',
  route: '/v1/trades/:id',
  status: 200,
  durationMs: 12,
  requestId: 'request-1',
  address: '203.0.113.7',
  at: new Date(),
  ...request,
});

async function store(...requests: Partial<RecordedRequest>[]): Promise<void> {
  for (const request of requests) recorder.record(sent(request));
  await recorder.flush();
}

async function list(query = '', user = actor): Promise<readonly LoggedRequest[]> {
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const parsed = querySchemaOf(requestLogOperations.list).parse(parameters);
  return (await service.list(user, parsed as Parameters<RequestLogService['list']>[1])).items;
}

const routesOf = async (query: string) => (await list(query)).map(({ route }) => route).sort();
const countOf = async (userId: string) =>
  (await core.row('SELECT count(*)::int AS count FROM request_log WHERE user_id = $1', userId)).count;

describe('the request log', () => {
  it('shows each request with its credential, newest first', async () => {
    const at = new Date(Date.now() - 5_000);
    await store({ at, method: 'DELETE', status: 404 }, { requestId: 'request-2' });
    const items = await list();
    expect(items.map((item) => loggedRequest.parse(item))).toEqual(items);
    expect(items).toEqual([
      expect.objectContaining({ request_id: 'request-2' }),
      {
        id: expect.stringMatching(/^rqt_/),
        method: 'DELETE',
        route: '/v1/trades/:id',
        status: 404,
        duration_ms: 12,
        request_id: 'request-1',
        credential: { kind: 'api_key', id: encodeId('key', actor.credential.id) },
        address: '203.0.113.7',
        created_at: at.toISOString(),
      },
    ]);
  });

  it.each([
    ['api_key', 'key'],
    ['public_key', 'pbk'],
    ['session', 'ses'],
    ['browser_session', 'pbk'],
  ] as const)('shows the id of a credential of the kind %s as that kind shows it', async (kind, prefix) => {
    const id = newUuid();
    await store({ caller: { userId: actor.userId, credential: { kind, id } } }, {});
    const filtered = await list(`credential_id=${encodeId(prefix, id)}`);
    expect(filtered.map(({ credential }) => credential)).toEqual([{ kind, id: encodeId(prefix, id) }]);
  });

  it.each([
    ['status=404', ['/404']],
    ['status=4xx', ['/400', '/404', '/499']],
    ['status=5xx', ['/500']],
    ['status=2xx', ['/200', '/299']],
    ['status=3xx', []],
    ['method=POST', ['/400']],
    ['method=POST&status=4xx', ['/400']],
    ['method=POST&status=5xx', []],
  ])('filtered by %s contains only these requests', async (query, routes) => {
    await store(
      ...[200, 299, 400, 404, 499, 500].map((status) => ({
        status,
        route: `/${status}`,
        method: status === 400 ? ('POST' as const) : ('GET' as const),
      })),
    );
    expect(await routesOf(query)).toEqual(routes);
  });

  it('is paged without gaps, also among requests of the same millisecond', async () => {
    const at = new Date();
    await store(...Array.from({ length: 7 }, (_, i) => ({ at, route: `/${i}` })));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = querySchemaOf(requestLogOperations.list).parse({
        limit: '3',
        ...(cursor === '' ? {} : { cursor }),
      });
      const page = await service.list(actor, query as Parameters<RequestLogService['list']>[1]);
      seen.push(...page.items.map(({ route }) => route));
      cursor = page.pagination.next_cursor;
    }
    expect(seen.sort()).toEqual(['/0', '/1', '/2', '/3', '/4', '/5', '/6']);
  });

  it('contains only requests of the caller, and is refused without ADMIN', async () => {
    await store({});
    expect(await list('', await core.actor())).toEqual([]);
    const trader = {
      ...actor,
      credential: { ...actor.credential, permissions: ['TRADE', 'WITHDRAW'] as const },
    };
    await expect(list('', trader)).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('uses the index of errors for a class of errors', async () => {
    await store({ status: 500 });
    const plan = await core.rows(
      `EXPLAIN SELECT FROM request_log r WHERE r.user_id = '${actor.userId}' AND r.status >= 400 AND r.status <= 499
       ORDER BY r.created_at DESC, r.id DESC LIMIT 51`,
    );
    expect(JSON.stringify(plan)).toMatch(/_user_id_created_at_id_idx1/);
  });
});

describe('a request of an earlier day', () => {
  it('is listed for 7 days', async () => {
    const ages = [0, 1, 6, 6.99, 7.01, 8];
    await store(...ages.map((days) => ({ at: new Date(Date.now() - days * DAY_MS), route: `/${days}` })));
    expect(await routesOf('')).toEqual(['/0', '/1', '/6', '/6.99']);
  });

  it('is deleted with its day once that is no longer listed, and no other day is', async () => {
    const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
    const days = [1, 0, -1, -2, -3, -4, -5, -6, -7, -8];
    await store(...days.map((day) => ({ at: new Date(noon + day * DAY_MS), route: `/${day}` })));
    expect(new Set(days.map((day) => slotOf(new Date(noon + day * DAY_MS)))).size).toBe(10);
    expect(await clearOldRequests(core.platform.database, new Date(noon))).toBe(true);
    const left = await core.rows('SELECT route FROM request_log WHERE user_id = $1', actor.userId);
    expect(left.map(({ route }) => route).sort()).toEqual(
      days
        .map((day) => `/${day}`)
        .filter((route) => route !== '/-8')
        .sort(),
    );
    expect(await clearOldRequests(core.platform.database, new Date(noon))).toBe(false);
  });
});

describe('the recorder', () => {
  it('writes the requests of an interval with one statement, and none before the interval ends', async () => {
    recorder.record(sent());
    expect(await countOf(actor.userId)).toBe(0);
    const quick = createRecorder(1);
    for (let i = 0; i < 20; i++) quick.record(sent());
    await eventually(async () => (await countOf(actor.userId)) === 20);
    const statements = await core.row(
      'SELECT count(DISTINCT xmin::text)::int AS count FROM request_log WHERE user_id = $1',
      actor.userId,
    );
    expect(statements).toEqual({ count: 1 });
  });

  it('keeps at most 500 requests of a user, so that another user has the rest', async () => {
    const other = await core.actor();
    for (let i = 0; i < 700; i++) recorder.record(sent());
    recorder.record(sent({ caller: other }));
    await recorder.flush();
    expect([await countOf(actor.userId), await countOf(other.userId)]).toEqual([500, 1]);
    expect(lost).toEqual([[200, undefined]]);
    recorder.record(sent());
    await recorder.flush();
    expect([await countOf(actor.userId), lost.length]).toEqual([501, 1]);
  });

  it('keeps at most 5,000 requests of all users', async () => {
    const users = await Promise.all(Array.from({ length: 11 }, () => core.actor()));
    for (let i = 0; i < 500; i++) for (const caller of users) recorder.record(sent({ caller }));
    await recorder.flush();
    expect(lost).toEqual([[500, undefined]]);
  });

  it('reports the requests that the database refused, and writes the following ones', async () => {
    recorder.record(sent({ durationMs: 2 ** 40 }));
    await recorder.flush();
    expect(lost).toEqual([[1, expect.objectContaining({ code: '22003' })]]);
    await store({});
    expect(await countOf(actor.userId)).toBe(1);
  });
});
