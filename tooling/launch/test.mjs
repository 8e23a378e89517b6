import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS, GENERATED_FILES, heading, runChecks, SET_UP, TYPES } from './checks.mjs';
import { endCommands, run } from './commands.mjs';
import { readIfExists } from './files.mjs';
import { openSteps } from './steps.mjs';
import { jestTotals, totalLine } from './totals.mjs';

/**
 * `npm test [-- jest arguments]`: sets up a fresh clone, runs all checks and tests, and prints how many
 * checks and tests passed and failed. With arguments, only the set-up and Jest run. The run starts its own servers and
 * always ends them. With REQUIRE_BROWSER=true, a run without a browser fails; otherwise, it omits the browser tests.
 *
 * Before the set-up has run, this file must not import installed packages.
 */

const jestArguments = process.argv.slice(2);

/** @type {() => Promise<void>} */
let stopServers = async () => {};

for (const [signal, exitCode] of /** @type {const} */ ([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])) {
  process.once(signal, async () => {
    await endCommands();
    await stopServers();
    process.exit(exitCode);
  });
}

/** @returns {Promise<import('./totals.mjs').Total>} */
async function runTests() {
  heading('tests');
  const { ensureBrowser } = await import('./browser.mjs');
  const browser = process.env.TEST_BROWSER ?? (await ensureBrowser((line) => console.error(line)));
  if (process.env.REQUIRE_BROWSER === 'true' && !browser)
    throw new Error('REQUIRE_BROWSER is set, and no browser was found or could be installed');
  const { ensureKeyring } = await import('./keyring.mjs');
  const hasKeyring = await ensureKeyring((line) => console.error(line));
  const { startTestServers } = await import('./test-servers.mjs');
  const servers = await startTestServers({ postgres: true, redis: true });
  stopServers = servers.stop;
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-jest-'));
  const outputFile = join(folder, 'result.json');
  try {
    const args = ['--ci', '--json', `--outputFile=${outputFile}`, ...jestArguments];
    const { code } = await run('node', ['node_modules/jest/bin/jest.js', ...args], {
      output: 'show',
      env: {
        ...process.env,
        TEST_DATABASE_URL: servers.databaseUrl,
        TEST_REDIS_URL: servers.redisUrl,
        TEST_BROWSER: browser ?? '',
        TEST_KEYRING: hasKeyring ? 'yes' : '',
        NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
      },
    });
    return jestTotals(code, JSON.parse(readIfExists(outputFile) ?? 'null'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await servers.stop();
  }
}

const steps = openSteps();
const isFullRun = jestArguments.length === 0;
const before = await runChecks(isFullRun ? [SET_UP, GENERATED_FILES, TYPES] : [SET_UP], steps);
const [concurrent, tests] = await Promise.all([
  runChecks(isFullRun ? CHECKS : [], steps, { areTestsRunning: true }),
  steps.time('tests', runTests).catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  }),
]);
const checks = {
  passed: [...before.passed, ...concurrent.passed],
  failed: [...before.failed, ...concurrent.failed],
};
if (isFullRun) console.log(`\n${steps.table()}`);
if (checks.failed.length > 0) console.error(`\nFailed checks: ${checks.failed.join(', ')}`);
const total = {
  passed: checks.passed.length + tests.passed,
  failed: checks.failed.length + tests.failed,
};
console.log(`\n${totalLine(total)}`);
process.exitCode = total.failed === 0 ? 0 : 1;
