/** Builds the pages and the process. The standalone build gets its static files, so that its folder is complete. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const app = join(import.meta.dirname, '..');
const run = (/** @type {string} */ command, /** @type {string[]} */ args) => {
  const { status } = spawnSync(join(app, 'node_modules', '.bin', command), args, {
    cwd: app,
    stdio: 'inherit',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (status !== 0) process.exit(status ?? 1);
};

rmSync(join(app, '.next', 'standalone'), { recursive: true, force: true });
run('tsc', ['-p', 'tsconfig.build.json']);
run('next', ['build']);
const standalone = join(app, '.next', 'standalone', 'apps', 'dashboard');
cpSync(join(app, '.next', 'static'), join(standalone, '.next', 'static'), { recursive: true });
if (existsSync(join(app, 'public')))
  cpSync(join(app, 'public'), join(standalone, 'public'), { recursive: true });
