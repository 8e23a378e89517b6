/**
 * Writes what each entry of the build offers into etc/*.api.md, or says where it is no longer what stands there:
 * `node scripts/api-report.mjs [--check] [folder of a package]`. It reads the built types, as those who install the
 * package do. A folder inside a node_modules is no good: what is there is told by name alone.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const here = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const projectFolder = realpathSync(resolve(positionals[0] ?? here));
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
        reportFolder: join(here, 'etc'),
        reportFileName: `${entry}.api.md`,
        reportTempFolder,
        // Resources and options are reached through what is exported: their shape is the public one's, too.
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: { default: { logLevel: 'none' } } },
    },
  });
}

const unfinished = mkdtempSync(join(tmpdir(), 'api-report-'));
try {
  const configs = ENTRIES.map((entry) => configOf(entry, unfinished));
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
    if (!values.check) console.log(`${name}: ${apiReportChanged ? 'written' : 'as it was'}`);
    else if (apiReportChanged) {
      console.error(
        `${name} is not what is offered now: read what changes for those who use it, then run \`npm run api-report\``,
      );
      process.exitCode = 1;
    } else console.log(`${name}: as offered`);
  }
} finally {
  rmSync(unfinished, { recursive: true, force: true });
}
