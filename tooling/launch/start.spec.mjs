import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './paths.mjs';

const start = (/** @type {string[]} */ ...options) =>
  spawnSync(process.execPath, [join(root, 'tooling/launch/start.mjs'), ...options], {
    encoding: 'utf8',
    // Far longer than these calls take. It ends a start that hangs.
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });

it('npm start prints its options with --help', () => {
  const { status, stdout, stderr } = start('--help');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/--fresh .*--data .*--free-ports .*--inspect/s);
});

it('npm start names an unknown option, and prints its options', () => {
  const { status, stdout, stderr } = start('--port', '1');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^Unknown option '--port'.*--free-ports/s);
  expect(stderr).not.toMatch(/ at .*start\.mjs/);
});

it.each(['/proc/nope', '/proc/nope/deeper', '/sys/nope', '/dev/null/nope'])(
  'npm start names a data folder that the system cannot create, and the option that selects another: %s',
  (folder) => {
    const { status, stdout, stderr } = start('--data', folder);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`The data folder ${folder} cannot be used: E`);
    expect(stderr).toContain('--data');
    expect(stderr).not.toMatch(/ at .*\.mjs/);
  },
);
