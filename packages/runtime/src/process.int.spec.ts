import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = new URL('../dist/index.js', import.meta.url).href;

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
  const child = fork(script, { silent: true });
  let log = '';
  child.stdout?.on('data', (chunk) => {
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
        `start: async () => ({ stop: async () => { console.log('closed'); } })`,
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
});
