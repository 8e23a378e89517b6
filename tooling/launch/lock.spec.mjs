import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLock } from './lock.mjs';
import { choosePorts, freePort } from './ports.mjs';

describe('the launcher lock', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is held by one process at a time, and a failed attempt reports the holder', () => {
    const file = join(folder, 'lock');
    const first = takeLock(file);
    expect(first.taken).toBe(true);
    expect(takeLock(file)).toEqual({ taken: false, holderPid: process.pid });
    first.release();
    expect(takeLock(file).taken).toBe(true);
  });

  it('of a dead process can be taken', () => {
    const file = join(folder, 'lock');
    writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, identity: 'gone' }));
    expect(takeLock(file).taken).toBe(true);
  });
});

describe('ports', () => {
  it('that are in use are replaced by free ports; all chosen ports differ', async () => {
    const busy = await freePort();
    const server = createServer();
    await new Promise((resolve) => server.listen(busy, '127.0.0.1', resolve));
    const chosen = await choosePorts({ a: busy, b: await freePort() });
    expect(chosen.a).not.toBe(busy);
    expect(chosen.a).not.toBe(chosen.b);
    await new Promise((resolve) => server.close(resolve));
  });
});
