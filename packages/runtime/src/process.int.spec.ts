import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = new URL('../dist/index.js', import.meta.url).href;
const early = new URL('../dist/early/index.js', import.meta.url).href;

/** Parses what a process printed; each line must be JSON. */
const linesOf = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Starts a child process that calls `runProcess` of the built package with these options. */
function start(folder: string, options: string) {
  const script = join(folder, 'service.mjs');
  writeFileSync(
    script,
    `import { ConfigError, createLogger, runProcess } from ${JSON.stringify(dist)};
     const keepAlive = setInterval(() => {}, 1000);
     await runProcess({ logger: createLogger('sample'), ${options} });
     process.send?.('ready');`,
  );
  return run(script);
}

function run(script: string) {
  const child = fork(script, { silent: true });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      log += chunk;
    });
  return { child, logged: () => log };
}

describe('runProcess', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(new URL('..', import.meta.url).pathname, 'dist', 'process-spec-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stops the service once after two %s signals, and exits with code 0',
    async (signal) => {
      const { child, logged } = start(
        folder,
        `start: async () => ({ stop: async () => { process.stdout.write('closed'); } })`,
      );
      await once(child, 'message');
      child.kill(signal);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(logged().match(/closed/g)).toHaveLength(1);
    },
  );

  it('stops when its parent process ends', async () => {
    const { child } = start(folder, `start: async () => ({ stop: async () => {} })`);
    await once(child, 'message');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('exits with code 1 if stopping takes longer than the grace period', async () => {
    const { child, logged } = start(
      folder,
      `graceMs: 50, start: async () => ({ stop: () => new Promise(() => {}) })`,
    );
    await once(child, 'message');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(logged()).toContain('process.stop_timed_out');
  });

  it('does not start with an invalid configuration and logs the problems', async () => {
    const { child, logged } = start(
      folder,
      `start: async () => { throw new ConfigError(['PORT: expected a port number']); }`,
    );
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(logged()).toContain('PORT: expected a port number');
  });

  it('logs an uncaught error and exits with code 1', async () => {
    const { child, logged } = start(
      folder,
      `start: async () => { setTimeout(() => { throw new Error('unforeseen'); }, 1); return { stop: async () => {} }; }`,
    );
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(logged()).toContain('unforeseen');
  });

  it.each([
    ['thrown', 'setTimeout(() => { throw error; }, 1); return { stop: async () => {} };', 'process.crashed'],
    ['rejected', 'Promise.reject(error); return { stop: async () => {} };', 'process.crashed'],
    ['thrown by start', 'throw error;', 'process.start_failed'],
  ])('logs an error that is %s as one line, without its members and values', async (_how, code, event) => {
    const { child, logged } = start(
      folder,
      `start: async () => {
        const error = Object.assign(new Error('GET https://user:canary@127.0.0.1/path?x=canary'), {
          parameters: ['canary'],
          config: { env: { KEY: 'canary' } },
          cause: Object.assign(new TypeError('Invalid URL'), { input: 'postgres://user:canary@127.0.0.1' }),
        });
        ${code}
      }`,
    );
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(linesOf(logged())).toEqual([
      expect.objectContaining({ event, err: expect.objectContaining({ message: 'GET https://127.0.0.1' }) }),
    ]);
    expect(logged()).not.toContain('canary');
  });

  it('logs warnings and what libraries print to the console: strings and errors, without other values', async () => {
    const { child, logged } = start(
      folder,
      `start: async () => {
        process.emitWarning('The URL //redis:"canary" is invalid.', 'DeprecationWarning', 'DEP0170');
        const error = Object.assign(new Error('Its request failed.'), { body: 'canary' });
        console.error('The library failed:', 'password=canary', { secret: 'canary' }, error);
        setTimeout(() => process.disconnect(), 100);
        return { stop: async () => {} };
      }`,
    );
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(linesOf(logged())).toMatchObject([
      {
        event: 'process.printed',
        reason: 'The library failed: password=…',
        err: { message: 'Its request failed.' },
      },
      { event: 'process.warning', err: { type: 'DeprecationWarning', code: 'DEP0170' } },
      { event: 'process.stopping' },
    ]);
    expect(logged()).not.toContain('canary');
  });

  it('logs an error of an import, if the entry point imports the early reports first', async () => {
    const main = join(folder, 'main.mjs');
    writeFileSync(join(folder, 'failing.mjs'), `throw Object.assign(new Error('no'), { input: 'canary' });`);
    writeFileSync(main, `import ${JSON.stringify(early)}; import './failing.mjs';`);
    const { child, logged } = run(main);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(linesOf(logged())).toMatchObject([
      { service: 'unknown', event: 'process.crashed', err: { message: 'no' } },
    ]);
    expect(logged()).not.toContain('canary');
  });
});
