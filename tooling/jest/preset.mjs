import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { browserMissingMessage, findBrowser } from '../launch/browser.mjs';
import { hasKeyring, keyringMissingMessage } from '../launch/keyring.mjs';
import { aptMissingMessage, hasApt } from '../launch/unpacked-redis.mjs';

// TEST_BROWSER is the path of a browser, or empty if no browser was found. `npm test` first installs a missing browser,
// then sets this variable.
if (process.env.TEST_BROWSER === undefined) {
  process.env.TEST_BROWSER = (await findBrowser()) ?? '';
  if (process.env.TEST_BROWSER === '') console.error(browserMissingMessage());
}
if (process.env.TEST_KEYRING === undefined) {
  process.env.TEST_KEYRING = hasKeyring() ? 'yes' : '';
  if (process.env.TEST_KEYRING === '') console.error(keyringMissingMessage());
}
if (process.env.TEST_APT === undefined) {
  process.env.TEST_APT = hasApt() ? 'yes' : '';
  if (process.env.TEST_APT === '') console.error(aptMissingMessage());
}
const skipped = [
  // The nightly run has time for them.
  ...(process.env.NIGHTLY === 'true' ? [] : ['\\.nightly\\.']),
  ...(process.env.TEST_BROWSER === '' ? ['\\.browser\\.(?:int|e2e)\\.spec\\.(?:ts|mjs)$'] : []),
  ...(process.env.TEST_KEYRING === '' ? ['\\.keyring\\.int\\.spec\\.ts$'] : []),
  ...(process.env.TEST_APT === '' ? ['\\.apt\\.int\\.spec\\.mjs$'] : []),
];

const root = new URL('../../', import.meta.url).pathname;

/** Returns the settings of the nightly property run: only property tests without servers, with more generated cases. */
function propertySettings() {
  process.env.FAST_CHECK = createRequire(join(root, 'packages/core/package.json')).resolve('fast-check');
  const isProperty = (/** @type {string} */ path) =>
    /(?<!\.int)\.spec\.ts$/.test(path) && readFileSync(path, 'utf8').includes("from 'fast-check'");
  const files = ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) =>
      ['src', 'test'].flatMap((folder) => specsIn(join(root, group, name, folder))),
    ),
  );
  return {
    testMatch: files.filter(isProperty),
    moduleNameMapper: { '^fast-check$': '<rootDir>/tooling/jest/more-draws.mjs' },
  };
}

/** @param {string} folder */
function specsIn(folder) {
  try {
    return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  } catch {
    return [];
  }
}

const propertyRun = process.env.PROPERTY_DRAWS === undefined ? undefined : propertySettings();

/**
 * One Jest run for the whole repository. Workspace packages are read from their source (the
 * `@trading-automation/source` export condition), so unit tests need no build. Tests that start real
 * processes (`*.e2e.spec.mjs`) run the built apps.
 */
export default {
  rootDir: root,
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/tooling', '<rootDir>/bench'],
  testMatch: propertyRun?.testMatch ?? ['**/*.spec.ts', '**/*.spec.mjs'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/fixtures/', ...skipped],
  modulePathIgnorePatterns: ['/dist/', '/\\.next/'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@trading-automation/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', ...propertyRun?.moduleNameMapper },
  testTimeout: 60_000,
  // With more workers than cores, tests that wait for leases or restarts miss their deadlines. More than 4 use too
  // much memory.
  maxWorkers: Math.min(availableParallelism(), 4),
  reporters: ['default', ['<rootDir>/tooling/jest/end-stuck-files.mjs', { limitMs: 25 * 60_000 }]],
  testSequencer: '<rootDir>/tooling/jest/sequencer.cjs',
  ...(process.env.ASSERTION_LOG === undefined
    ? {}
    : { setupFilesAfterEnv: ['<rootDir>/tooling/jest/record-assertions.cjs'] }),
  // The modules of a finished test file stay in its worker's memory, and garbage collection becomes slow. A worker above
  // this limit is restarted after its file.
  workerIdleMemoryLimit: '1GB',
  globalSetup: '<rootDir>/tooling/jest/services.mjs',
  globalTeardown: '<rootDir>/tooling/jest/stop-services.mjs',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
};
