import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const main = new URL('../dist/main.js', import.meta.url).pathname;

describe('the process of the paper exchange', () => {
  let directory: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'paper-exchange-process-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  /** Starts the built process and returns its address once it says that it listens. */
  async function start(): Promise<string> {
    const env = { PATH: process.env.PATH, DATA_DIR: directory, MARKET: 'off' };
    child = fork(main, [], { silent: true, execArgv: [], env });
    const [line] = await once(createInterface({ input: child.stdout! }), 'line');
    return (JSON.parse(line) as { url: string }).url;
  }

  async function postJson(url: string, body: object): Promise<{ api_key: string }> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { api_key: string };
  }

  it('has, after a kill -9, everything that it answered for', async () => {
    const url = await start();
    const keys: string[] = [];
    for (let i = 1; i <= 20; i++)
      keys.push((await postJson(`${url}/admin/accounts`, { balances: { USDT: i } })).api_key);
    child?.kill('SIGKILL');
    await once(child!, 'exit');

    const again = await start();
    for (const [i, key] of keys.entries()) {
      const ledger = await (await fetch(`${again}/admin/ledger?api_key=${key}`)).json();
      expect(ledger).toMatchObject({ balances: { USDT: { free: String(i + 1), locked: '0' } } });
    }
  });

  it('ends with 0 when its parent is gone', async () => {
    await start();
    child?.disconnect();
    expect(await once(child!, 'exit')).toEqual([0, null]);
  });
});
