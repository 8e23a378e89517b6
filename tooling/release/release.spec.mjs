import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLISHED } from './published.mjs';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const workflow = textOf('.github/workflows/release.yml');

/** The YAML of each job, by the job's name. */
const jobs = Object.fromEntries(
  workflow
    .slice(workflow.indexOf('\njobs:\n'))
    .split(/\n(?= {2}[a-z]+:\n)/)
    .slice(1)
    .map((yaml) => [yaml.trim().split(':', 1)[0], yaml]),
);

/** Returns the permissions of a job. */
const permissionsOf = (job) => {
  const block = /\n {4}permissions:\n((?: {6}.+\n)+)/.exec(jobs[job])?.[1] ?? '';
  return block.trim().split(/\n\s+/);
};

describe('the release workflow', () => {
  it('proposes versions, or verifies, builds and publishes', () => {
    expect(Object.keys(jobs)).toEqual(['versions', 'propose', 'verify', 'images', 'publish']);
    expect(jobs.propose).toContain("if: needs.versions.outputs.pending == 'true'");
    expect(jobs.verify).toContain('needs: versions');
    expect(jobs.verify).toContain("if: needs.versions.outputs.pending == 'false'");
    expect(jobs.publish).toContain('needs: [verify, images]');
    expect(workflow).toContain('branches: [main]');
  });

  it('packs after all CI checks, and publishes exactly the packed files', () => {
    const steps = [
      ...jobs.verify.matchAll(/(\.ci\/run|release\/pack\.mjs \.data\/packages|upload-artifact)/g),
    ];
    expect(steps.map(([order]) => order)).toEqual([
      '.ci/run',
      'release/pack.mjs .data/packages',
      'upload-artifact',
    ]);
    expect(jobs.publish).toMatch(/download-artifact[\s\S]+release\/publish\.mjs \.data\/packages/);
    expect(jobs.publish).not.toMatch(/install|build|pack\.mjs/);
  });

  it('grants each job only the permissions that it needs; only the publishing job may request an OIDC token', () => {
    expect(workflow).toContain('\npermissions: {}\n');
    expect(permissionsOf('versions')).toEqual(['contents: read']);
    expect(permissionsOf('propose')).toEqual(['contents: write', 'pull-requests: write']);
    expect(permissionsOf('images')).toEqual(['contents: read']);
    expect(permissionsOf('verify')).toEqual(['contents: read']);
    expect(permissionsOf('publish')).toEqual(['contents: write', 'id-token: write']);
    expect(jobs.publish).toContain('environment: npm');
  });

  it('uses no secret except the token that GitHub creates for each run', () => {
    const secrets = [...workflow.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name);
    expect(new Set(secrets)).toEqual(new Set(['GITHUB_TOKEN']));
    expect(workflow).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN|_authToken/);
  });
});

describe('the published packages', () => {
  const manifests = readdirSync(join(root, 'packages')).map((name) =>
    JSON.parse(textOf(`packages/${name}/package.json`)),
  );
  const published = manifests.filter((manifest) => manifest.private !== true);

  it('are the SDK and the CLI, public and with provenance', () => {
    expect(published.map(({ name }) => name).toSorted()).toEqual(
      PUBLISHED.map((name) => `@trading-automation/${name}`).toSorted(),
    );
    for (const { publishConfig } of published)
      expect(publishConfig).toMatchObject({ access: 'public', provenance: true });
  });

  it('get the same version from changesets', () => {
    const { fixed, access, baseBranch } = JSON.parse(textOf('.changeset/config.json'));
    expect(fixed.map((group) => group.toSorted())).toEqual([published.map(({ name }) => name).toSorted()]);
    expect({ access, baseBranch }).toEqual({ access: 'public', baseBranch: 'main' });
    expect(new Set(published.map(({ version }) => version)).size).toBe(1);
  });
});

describe('publishing', () => {
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'publish-spec-'));
    mkdirSync(join(folder, 'bin'));
    for (const name of PUBLISHED) {
      mkdirSync(join(folder, name, 'package'), { recursive: true });
      const manifest = { name: `@trading-automation/${name}`, version: '1.2.3' };
      writeFileSync(join(folder, name, 'package', 'package.json'), JSON.stringify(manifest));
      execFileSync('tar', ['-czf', join(folder, `${name}.tgz`), '-C', join(folder, name), 'package']);
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Replaces npm or git by a script that records its arguments and then runs `script`. */
  function fakeProgram(program, script) {
    const path = join(folder, 'bin', program);
    writeFileSync(path, `#!/bin/sh\necho "${program} $*" >> ${folder}/calls\n${script}\n`);
    chmodSync(path, 0o755);
  }

  function publish() {
    const env = { ...process.env, NODE_OPTIONS: '', PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const publishing = join(import.meta.dirname, 'publish.mjs');
    execFileSync(process.execPath, [publishing, folder], { env, stdio: 'pipe' });
  }
  /** Returns the recorded commands that change something; commands that only read are left out. */
  const changes = () =>
    readFileSync(join(folder, 'calls'), 'utf8')
      .trim()
      .split('\n')
      .filter((command) => !/^npm view|^git ls-remote/.test(command))
      .map((command) => command.replace(folder, '.'));

  const flags = '--access public --provenance';
  const tagged = (name) => [
    `git tag @trading-automation/${name}@1.2.3`,
    `git push origin refs/tags/@trading-automation/${name}@1.2.3`,
  ];

  it('publishes the tarballs unchanged, the SDK first, and tags each version', () => {
    fakeProgram('npm', '[ "$1" = view ] && { echo \'{"error":{"code":"E404"}}\'; exit 1; }; exit 0');
    fakeProgram('git', 'exit 0');
    publish();
    expect(changes()).toEqual([
      `npm publish ./sdk.tgz ${flags}`,
      ...tagged('sdk'),
      `npm publish ./cli.tgz ${flags}`,
      ...tagged('cli'),
    ]);
  });

  it('continues after an interrupted run, and skips existing versions and tags', () => {
    fakeProgram(
      'npm',
      'case "$*" in "view @trading-automation/sdk"*) echo 1.2.3;; view*) echo E404; exit 1;; esac',
    );
    fakeProgram('git', 'case "$*" in *ls-remote*sdk*) echo tagged;; esac');
    publish();
    expect(changes()).toEqual([`npm publish ./cli.tgz ${flags}`, ...tagged('cli')]);
  });

  it('publishes nothing if the registry does not report the existing versions', () => {
    fakeProgram('npm', '[ "$1" = view ] && { echo E500; exit 1; }; exit 0');
    fakeProgram('git', 'exit 0');
    expect(publish).toThrow(/could not find out whether the registry has @trading-automation\/sdk@1\.2\.3/);
    expect(changes()).toEqual([]);
  });

  it('does not tag a version that was not published', () => {
    fakeProgram('npm', '[ "$1" = view ] && echo E404; exit 1');
    fakeProgram('git', 'exit 0');
    expect(publish).toThrow(/npm publish .*sdk\.tgz .* failed/);
    expect(changes()).toEqual([`npm publish ./sdk.tgz ${flags}`]);
  });
});
