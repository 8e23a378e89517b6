import type { DataSource } from 'typeorm';
import { createDataSource } from './data-source.js';
import { newUuid } from './ids.js';
import { createListener, type Listener } from './listener.js';
import { CallFailed, CallRefused, CallTimeout, callProcess, type ProcessCall } from './process-calls.js';
import { type CallHandler, type ServeOptions, serveCalls } from './serve-process-calls.js';
import type { TestDatabase } from './testing/index.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';

let database: TestDatabase;
let dataSource: DataSource;
let listener: Listener;
const USER = newUuid();
const servers: { stop(): Promise<void> }[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  database = await createPersistenceDatabase();
  const { url } = database;
  dataSource = createDataSource({
    url,
    entities: [],
    migrations: [],
    poolSize: 10,
    applicationName: 'call-spec',
  });
  await dataSource.initialize();
  listener = createListener({ url, applicationName: 'call-listener' });
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  errors.length = 0;
});
afterAll(async () => {
  await listener.stop();
  await dataSource.destroy();
  await database.drop();
});

const serve = (handle: CallHandler, options: Partial<ServeOptions> = {}) => {
  const onError = (error: unknown) => void errors.push(error);
  servers.push(serveCalls({ dataSource, listener, handlers: { echo: handle }, onError, ...options }));
};
const call = (text: string, options: Partial<ProcessCall> = {}) =>
  callProcess({
    dataSource,
    listener,
    name: 'echo',
    owner: { userId: USER },
    lane: 'default',
    input: Buffer.from(text),
    startWithinMs: 15_000,
    operationMs: 5_000,
    ...options,
  }).then((reply) => Buffer.from(reply).toString());
const rowCount = async () => Number((await dataSource.query('SELECT count(*) FROM process_calls'))[0].count);
const silentListener = { subscribe: () => () => undefined };

describe('process calls', () => {
  it('send bytes to the handler and return the bytes of its reply, and leave no row', async () => {
    serve(async (input) => Buffer.from(`${Buffer.from(input)}!`));
    expect(await call('\u0000ä')).toBe('\u0000ä!');
    expect(await rowCount()).toBe(0);
  });

  it('are each executed once, by one of several servers', async () => {
    const executed: string[] = [];
    for (let i = 0; i < 3; i++) {
      serve(async (input) => {
        executed.push(Buffer.from(input).toString());
        return input;
      });
    }
    const texts = Array.from({ length: 60 }, (_, index) => `call ${index}`);
    expect(await Promise.all(texts.map((text) => call(text)))).toEqual(texts);
    expect(executed.toSorted()).toEqual(texts.toSorted());
  });

  it('return replies by polling alone if no notification arrives', async () => {
    serve(async (input) => input, { listener: silentListener, pollMs: 20 });
    expect(await call('quiet', { listener: silentListener, pollMs: 20 })).toBe('quiet');
  });

  it('throw CallRefused with the code, the message and the data of the handler', async () => {
    serve(async () => {
      throw new CallRefused(
        'exchange_credentials_rejected',
        'The exchange refused the key.',
        Buffer.from('data'),
      );
    });
    const error = await call('x').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CallRefused);
    expect(error).toMatchObject({
      code: 'exchange_credentials_rejected',
      message: 'The exchange refused the key.',
      data: Buffer.from('data'),
    });
    expect(errors).toEqual([]);
  });

  it('throw CallFailed after an unexpected error, and report its cause only to the serving process', async () => {
    serve(async () => {
      throw new Error('secret detail');
    });
    const error = await call('x').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CallFailed);
    expect(String(error)).not.toContain('secret');
    expect(errors).toEqual([new Error('secret detail')]);
  });

  it('time out without a serving process, and are not executed after their deadline', async () => {
    await expect(call('late', { startWithinMs: 50, operationMs: 0 })).rejects.toBeInstanceOf(CallTimeout);
    await dataSource.query(
      `INSERT INTO process_calls (id, name, input, deadline)
       VALUES ($1, 'echo', 'late', now() - interval '1 second'), ($2, 'echo', 'older', now() - interval '2 minutes')`,
      [newUuid(), newUuid()],
    );
    const executed: string[] = [];
    serve(async (input) => {
      executed.push(Buffer.from(input).toString());
      return input;
    });
    expect(await call('now')).toBe('now');
    expect(executed).toEqual(['now']);
    // The server keeps the first row, whose caller may still read it, and deletes the second row as abandoned.
    expect(await rowCount()).toBe(1);
    await dataSource.query('TRUNCATE process_calls');
  });

  it('abort the signal of the handler before the caller stops waiting', async () => {
    let onAborted: () => void;
    let release: () => void;
    const aborted = new Promise<void>((resolve) => {
      onAborted = resolve;
    });
    const mayReply = new Promise<void>((resolve) => {
      release = resolve;
    });
    serve(async (input, { signal }) => {
      signal.addEventListener('abort', () => onAborted());
      await mayReply;
      return input;
    });
    // Long enough for the server to claim the call on a busy machine.
    await expect(call('slow', { startWithinMs: 1_500, operationMs: 0 })).rejects.toBeInstanceOf(CallTimeout);
    await aborted;
    release!();
  });

  it('complete before the server stops', async () => {
    let onStarted: () => void;
    let finish: () => void;
    const started = new Promise<void>((resolve) => {
      onStarted = resolve;
    });
    const mayFinish = new Promise<void>((resolve) => {
      finish = resolve;
    });
    serve(async (input) => {
      onStarted();
      await mayFinish;
      return input;
    });
    const reply = call('last');
    await started;
    const stopped = servers.pop()!.stop();
    finish!();
    expect(await reply).toBe('last');
    await stopped;
  });
});
