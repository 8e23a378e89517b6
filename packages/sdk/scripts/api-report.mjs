/**
 * Writes the public API of each entry to etc/*.api.md. With `--check`, it only reports which files are outdated:
 * `node scripts/api-report.mjs [--check] [folder of a package]`. It reads the built types, as users do. The folder must
 * not be inside node_modules: there, the extractor reports only names.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const packageFolder = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const projectFolder = realpathSync(resolve(positionals[0] ?? packageFolder));
const ENTRIES = ['index', 'realtime', 'signer', 'testing', 'webhooks'];
const typesOf = (entry) => join(projectFolder, 'dist', `${entry}.d.mts`);

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
};

function configOf(entry, reportTempFolder) {
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(projectFolder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder,
      newlineKind: 'lf',
      mainEntryPointFilePath: typesOf(entry),
      compiler: { overrideTsconfig: { compilerOptions, files: [typesOf(entry)] } },
      apiReport: {
        enabled: true,
        reportFolder: join(packageFolder, 'etc'),
        reportFileName: `${entry}.api.md`,
        reportTempFolder,
        // Resources and options are reachable through exports, so their types are public, too.
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: { default: { logLevel: 'none' } } },
    },
  });
}

const temporaryFolder = mkdtempSync(join(tmpdir(), 'api-report-'));
try {
  const configs = ENTRIES.map((entry) => configOf(entry, temporaryFolder));
  const compilerState = CompilerState.create(configs[0], {
    additionalEntryPoints: ENTRIES.slice(1).map(typesOf),
  });
  for (const [i, config] of configs.entries()) {
    const { apiReportChanged } = Extractor.invoke(config, {
      compilerState,
      localBuild: !values.check,
      messageCallback: (message) => {
        message.handled = message.logLevel !== 'error';
      },
    });
    const name = `etc/${ENTRIES[i]}.api.md`;
    if (!values.check) console.log(`${name}: ${apiReportChanged ? 'written' : 'unchanged'}`);
    else if (apiReportChanged) {
      console.error(`${name} is outdated. Check how the public API changes, then run \`npm run api-report\``);
      process.exitCode = 1;
    } else console.log(`${name}: up to date`);
  }
} finally {
  rmSync(temporaryFolder, { recursive: true, force: true });
}
