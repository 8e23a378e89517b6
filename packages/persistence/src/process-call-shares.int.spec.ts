/** Tests that calls between processes share slots fairly between users and accounts. */
import { eventually } from '@trading-automation/runtime/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from './data-source.js';
import { newUuid } from './ids.js';
import { createListener, type Listener } from './listener.js';
import { CallQueueFull, CallRefused, CallTimeout, callProcess, type ProcessCall } from './process-calls.js';
import { type CallHandler, type ServeOptions, serveCalls } from './serve-process-calls.js';
import type { TestDatabase } from './testing/index.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';

const [PRESSER, QUIET] = [newUuid(), newUuid()];
const SLOTS = { total: 6, perUser: 2, perAccount: 1 };

let database: TestDatabase;
let dataSource: DataSource;
let listener: Listener;
let servers: { stop(): Promise<void> }[] = [];
let calls: Promise<unknown>[] = [];
/** The texts of the calls that a handler began, in order. */
let begun: string[] = [];
/** Lets the call with this text return. */
let finish = new Map<string, () => void>();

beforeAll(async () => {
  database = await createPersistenceDatabase();
  const { url } = database;
  const options = { entities: [], migrations: [], poolSize: 20, applicationName: 'shares' };
  dataSource = await createDataSource({ url, ...options }).initialize();
  listener = createListener({ url, applicationName: 'shares-listener' });
});
afterEach(async () => {
  const release = () => {
    for (const end of finish.values()) end();
  };
  const releasing = setInterval(release, 5);
  await Promise.all(calls);
  await Promise.all(servers.map((server) => server.stop()));
  clearInterval(releasing);
  await dataSource.query('TRUNCATE process_calls');
  [servers, calls, begun, finish] = [[], [], [], new Map()];
});
afterAll(async () => {
  await listener.stop();
  await dataSource.destroy();
  await database.drop();
});

const hold: CallHandler = async (input) => {
  const text = Buffer.from(input).toString();
  begun.push(text);
  await new Promise<void>((resolve) => finish.set(text, resolve));
  return input;
};

function serve(options: Partial<ServeOptions> = {}): void {
  const onError = (error: unknown) => {
    throw error;
  };
  servers.push(
    serveCalls({ dataSource, listener, handlers: { work: hold }, onError, slots: SLOTS, ...options }),
  );
}

function call(text: string, userId: string, options: Partial<ProcessCall> & { accountId?: string } = {}) {
  const { accountId, ...others } = options;
  const reply = callProcess({
    dataSource,
    listener,
    name: 'work',
    owner: { userId, accountId },
    lane: 'default',
    input: Buffer.from(text),
    startWithinMs: 30_000,
    operationMs: 10_000,
    ...others,
  });
  calls.push(reply.catch(() => undefined));
  return reply;
}

const waitingCount = async () =>
  (await dataSource.query('SELECT FROM process_calls WHERE claimed_at IS NULL')).length;
const untilWaiting = (count: number) => eventually(async () => (await waitingCount()) === count);

describe('calls between processes', () => {
  it('leave a free slot for a second user while the first one has forty calls open', async () => {
    for (let i = 0; i < 40; i++) call(`presser ${i}`, PRESSER);
    await untilWaiting(40);
    serve();
    await eventually(() => begun.length === 2);
    call('quiet', QUIET);
    await eventually(() => begun.includes('quiet'));
    expect(begun.filter((text) => text.startsWith('presser'))).toHaveLength(2);
    expect(await waitingCount()).toBe(38);
  });

  it('let users take turns: one user who waits is served after one further call of another user', async () => {
    serve({ slots: { total: 1, perUser: 1 } });
    call('first', PRESSER);
    await eventually(() => begun.length === 1);
    for (let i = 0; i < 20; i++) call(`presser ${i}`, PRESSER);
    await untilWaiting(20);
    call('quiet', QUIET);
    await untilWaiting(21);
    finish.get('first')!();
    await eventually(() => begun.length === 2);
    expect(begun[1]).toBe('quiet');
  });

  it('of one account leave a slot to the other accounts of its user', async () => {
    const [slow, healthy] = [newUuid(), newUuid()];
    serve();
    for (let i = 0; i < 5; i++) call(`slow ${i}`, PRESSER, { accountId: slow });
    await eventually(() => begun.length === 1);
    await untilWaiting(4);
    call('healthy', PRESSER, { accountId: healthy });
    await eventually(() => begun.includes('healthy'));
    expect(begun).toHaveLength(2);
  });

  it('in different lanes use different slots', async () => {
    serve();
    serve({ handlers: { stop: hold } });
    for (let i = 0; i < 10; i++) call(`slow ${i}`, PRESSER);
    await eventually(() => begun.length === 2);
    await untilWaiting(8);
    call('cancel', PRESSER, { name: 'stop', lane: 'cancel', openCallsMax: 1 });
    await eventually(() => begun.includes('cancel'));
    expect(await dataSource.query('SELECT DISTINCT lane, user_id FROM process_calls ORDER BY lane')).toEqual([
      { lane: 'cancel', user_id: PRESSER },
      { lane: 'default', user_id: PRESSER },
    ]);
  });

  it('over the limit of open calls are refused, exactly and only for their user', async () => {
    const refused: unknown[] = [];
    for (let i = 0; i < 12; i++)
      call(`presser ${i}`, PRESSER, { openCallsMax: 5 }).catch((error: unknown) => refused.push(error));
    await eventually(async () => refused.length + (await waitingCount()) === 12);
    expect(refused).toHaveLength(7);
    for (const error of refused) expect(error).toEqual(new CallQueueFull('work', 5));
    serve();
    call('quiet', QUIET, { openCallsMax: 5 });
    await eventually(() => begun.includes('quiet'));
  });

  it('that find no slot in time are withdrawn, and say whether the user or the server is the cause', async () => {
    const noServer = call('no process serves', QUIET, { startWithinMs: 100 });
    await expect(noServer).rejects.toBeInstanceOf(CallTimeout);
    serve({ slots: { total: 6, perUser: 1 } });
    call('running', PRESSER);
    await eventually(() => begun.length === 1);
    await expect(call('no slot', PRESSER, { startWithinMs: 100 })).rejects.toBeInstanceOf(CallQueueFull);
    expect(await waitingCount()).toBe(0);
  });

  it('of the release before, which name no user, are served', async () => {
    await dataSource.query(
      `INSERT INTO process_calls (id, name, input, deadline) VALUES ($1, 'work', 'old', now() + interval '1 minute')`,
      [newUuid()],
    );
    serve();
    await eventually(() => begun.includes('old'));
    expect(begun).toEqual(['old']);
  });

  it('that reach the time limit are answered then, and keep their slot until the handler ends', async () => {
    const onTimeLimit = (userId = '') =>
      new CallRefused('too_slow', 'The operation reached its time limit.', Buffer.from(userId));
    serve({ slots: { total: 1, perUser: 1 }, onTimeLimit });
    const times = { startWithinMs: 2_000, operationMs: 0 };
    await expect(call('slow', PRESSER, times)).rejects.toMatchObject({
      code: 'too_slow',
      data: Buffer.from(PRESSER),
    });
    call('next', PRESSER);
    await untilWaiting(1);
    expect(begun).toEqual(['slow']);
    finish.get('slow')!();
    await eventually(() => begun.includes('next'));
  });
});
