import { spawn } from 'node:child_process';
import { endCommands, run } from './commands.mjs';
import { readableLine } from './log-lines.mjs';
import { supervise } from './supervise.mjs';

const delays = { firstMs: 1, maxMs: 5, resetAfterMs: 30_000 };

/** Supervises a Node process that runs `code`, until `isEnough` returns true for the events. */
function observe(code, isEnough) {
  const events = [];
  return new Promise((resolve) => {
    const supervisor = supervise({
      spawn: () => spawn(process.execPath, ['-e', code], { detached: true, stdio: 'ignore' }),
      delays,
      onEvent: (event) => {
        events.push(event);
        if (isEnough(events)) setImmediate(() => resolve({ events, supervisor }));
      },
    });
  });
}

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('supervise', () => {
  it('reports every crash and restarts the process, with growing delays', async () => {
    const crashed = (events) => events.filter(({ type }) => type === 'exited');
    const { events, supervisor } = await observe('process.exit(3)', (all) => crashed(all).length === 3);
    await supervisor.stop();
    expect(crashed(events).map(({ code, crashes, restartInMs }) => ({ code, crashes, restartInMs }))).toEqual(
      [
        { code: 3, crashes: 1, restartInMs: 1 },
        { code: 3, crashes: 2, restartInMs: 2 },
        { code: 3, crashes: 3, restartInMs: 4 },
      ],
    );
    expect(events.filter(({ type }) => type === 'started')).toHaveLength(3);
  });

  it('counts an exit with code 0 as a crash, because a service must not end', async () => {
    const { events, supervisor } = await observe('', (all) => all.some(({ type }) => type === 'exited'));
    await supervisor.stop();
    expect(events.find(({ type }) => type === 'exited')).toMatchObject({ code: 0, crashes: 1 });
  });

  it('leaves no process behind once it is stopped', async () => {
    const { events, supervisor } = await observe('setInterval(() => {}, 1000)', (all) => all.length === 1);
    const [{ pid }] = events;
    expect(isAlive(pid)).toBe(true);
    await supervisor.stop();
    expect(isAlive(pid)).toBe(false);
    expect(events).toHaveLength(1);
  });

  it('restarts on request without counting a crash, and kills a process that does not stop in time', async () => {
    const started = (events) => events.filter(({ type }) => type === 'started');
    const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)';
    const { events, supervisor } = await observe(stubborn, (all) => all.length === 1);
    await supervisor.restart(100);
    expect(events.map(({ type }) => type)).toEqual(['started', 'started']);
    const [first, second] = started(events).map(({ pid }) => pid);
    expect(isAlive(first)).toBe(false);
    expect(isAlive(second)).toBe(true);
    process.kill(second, 'SIGKILL');
    await supervisor.stop();
    expect(isAlive(second)).toBe(false);
  });
});

describe('endCommands', () => {
  it('ends the running command and prevents the next one', async () => {
    const steps = [];
    const work = async () => {
      for (const command of [
        ['sleep', '60'],
        ['echo', 'the next step'],
      ])
        steps.push(await run(command[0], command.slice(1)));
    };
    const working = work();
    await endCommands();
    await working;
    expect(steps.map(({ code, stdout }) => [code, stdout])).toEqual([
      [128, ''],
      [128, ''],
    ]);
  });
});

describe('a readable log line', () => {
  const now = new Date('2026-01-02T03:04:05.678Z');

  it('shows time, service, level, message and fields of a JSON line', () => {
    const line = JSON.stringify({
      level: 'warn',
      service: 'x',
      time: 'y',
      msg: 'slow',
      took_ms: 12,
      to: 'here',
    });
    expect(readableLine('rest-api', line, { colour: false, now })).toBe(
      '03:04:05.678 rest-api           warn  slow took_ms=12 to=here',
    );
  });

  it('shows a line unchanged if it is not JSON or not an object', () => {
    expect(readableLine('rest-api', 'oh no', { colour: false, now })).toBe(
      '03:04:05.678 rest-api           info  oh no',
    );
    expect(readableLine('rest-api', '[1]', { colour: false, now })).toBe(
      '03:04:05.678 rest-api           info  [1]',
    );
  });
});
