import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endCommands } from '../launch/commands.mjs';
import { setUp } from '../launch/setup.mjs';

/**
 * `npm run planted-faults -- [words ...] [--as-built]`: plants each fault (or those whose names contain one of the
 * words) in a copy of the workspace. The exit code is 0 if a test finds each planted fault.
 *
 * Before the set-up has run, this file must not import installed packages.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'as-built': { type: 'boolean', default: false } },
});

/** @type {() => Promise<void>} */
let cleanUp = async () => {};
for (const [signal, exitCode] of /** @type {const} */ ([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])) {
  process.once(signal, async () => {
    await endCommands();
    await cleanUp();
    process.exit(exitCode);
  });
}

if (!values['as-built']) await setUp((line) => console.log(line));
const { PLANTED_FAULTS } = await import('./faults.mjs');
const { runFault, runUnmodified } = await import('./run.mjs');
const { describeOutcome, totalLine } = await import('./report.mjs');
const { copyWorkspace } = await import('../e2e/workspace-copy.mjs');
const { startTestServers, temporaryFolder } = await import('../launch/test-servers.mjs');

const faults = PLANTED_FAULTS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
);
if (faults.length === 0) throw new Error(`No fault has a name with ${positionals.join(' or ')}.`);

const copies = temporaryFolder();
const servers = await startTestServers({ postgres: true, redis: true });
cleanUp = async () => {
  await servers.stop();
  rmSync(copies, { recursive: true, force: true });
};
try {
  const folder = join(copies, 'workspace');
  copyWorkspace(folder);
  process.exitCode = (await isEachFound({ ...servers, folder })) ? 0 : 1;
} finally {
  await cleanUp();
}

/** @param {{ folder: string, databaseUrl?: string, redisUrl?: string }} copy the copy of the workspace, and its servers */
async function isEachFound({ folder, databaseUrl, redisUrl }) {
  const copy = { folder, databaseUrl, redisUrl };
  const unmodified = await runUnmodified(copy, faults);
  if (unmodified.kind !== 'missed') {
    console.error(`The specs must pass without a fault: ${describeOutcome(unmodified)}`);
    return false;
  }
  console.log('without a fault: all specs pass');
  let foundCount = 0;
  for (const fault of faults) {
    const { outcome, seconds } = await runFault(copy, fault);
    if (outcome.kind === 'found') foundCount++;
    console.log(`${fault.name}: ${describeOutcome(outcome)} (${seconds} s)`);
  }
  console.log(`\n${totalLine(foundCount, faults.length)}`);
  return foundCount === faults.length;
}
