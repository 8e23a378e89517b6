import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  buildsWithoutDigest,
  fixedBaseImages,
  looseInstallation,
  thirdPartiesThatMayWrite,
  unpinnedActions,
  unverifiedInImages,
  unverifiedPackageManager,
} from './supply-chain.mjs';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const folder = '.github/workflows';
const workflows = readdirSync(join(root, folder)).map((file) => [file, parse(textOf(join(folder, file)))]);

const COMMIT = 'a'.repeat(40);
const job = (steps, permissions = { contents: 'read' }) => ({
  permissions: {},
  jobs: { one: { permissions, steps } },
});

describe('workflows', () => {
  it('exist', () => {
    expect(workflows.map(([file]) => file)).toEqual(['nightly.yml', 'pull-request.yml', 'release.yml']);
  });

  it.each(workflows)(
    '%s pins actions, writes without third parties, and builds from a digest',
    (_, workflow) => {
      expect(unpinnedActions(workflow)).toEqual([]);
      expect(thirdPartiesThatMayWrite(workflow)).toEqual([]);
      expect(buildsWithoutDigest(workflow)).toEqual([]);
    },
  );

  it.each([
    'actions/checkout@v4',
    'actions/checkout@v4.2.2',
    `actions/checkout@${COMMIT.slice(1)}`,
    './local',
  ])('may not use the action %s', (uses) => {
    expect(unpinnedActions(job([{ uses }]))).toHaveLength(1);
    expect(unpinnedActions(job([{ uses: `actions/checkout@${COMMIT}` }]))).toEqual([]);
  });

  it.each([
    ['an action of a third party', { uses: `changesets/action@${COMMIT}` }],
    ['an installation', { run: 'npx --yes pnpm@10 install' }],
    ['a script of the repository that runs packages', { run: 'npm run build' }],
    ['the checks', { run: '.ci/run' }],
  ])('may not run %s in a job that may write', (_, step) => {
    expect(thirdPartiesThatMayWrite(job([step], { contents: 'write' }))).toHaveLength(1);
    expect(thirdPartiesThatMayWrite(job([step], { 'id-token': 'write' }))).toHaveLength(1);
    expect(thirdPartiesThatMayWrite(job([step]))).toEqual([]);
  });

  it.each(workflows)('%s verifies the package manager before it runs it', (_, workflow) => {
    expect(unverifiedPackageManager(workflow)).toEqual([]);
  });

  it('may not run a package manager before it is verified', () => {
    const install = { run: 'npx --yes pnpm@10 install' };
    const verify = { run: 'node tooling/launch/verify-package-manager.mjs' };
    expect(unverifiedPackageManager(job([install]))).toHaveLength(1);
    expect(unverifiedPackageManager(job([install, verify]))).toHaveLength(1);
    expect(unverifiedPackageManager(job([verify, install]))).toEqual([]);
  });

  it('declare permissions', () => {
    expect(
      thirdPartiesThatMayWrite({ permissions: {}, jobs: { one: { steps: [{ run: 'ls' }] } } }),
    ).toHaveLength(1);
    expect(thirdPartiesThatMayWrite({ jobs: {} })).toHaveLength(1);
  });

  it('may not build an image without the check of the base image, or from another one', () => {
    const check = { run: 'node tooling/release/require-digest.mjs "$NODE_IMAGE"' };
    const build = { run: 'docker build --build-arg "NODE_IMAGE=$NODE_IMAGE" .' };
    expect(buildsWithoutDigest(job([check, build]))).toEqual([]);
    expect(buildsWithoutDigest(job([build]))).toHaveLength(1);
    expect(buildsWithoutDigest(job([build, check]))).toHaveLength(1);
    expect(buildsWithoutDigest(job([check, { run: 'docker build .' }]))).toHaveLength(1);
  });
});

describe('the base image of a release', () => {
  const check = (...args) =>
    spawnSync('node', [join(import.meta.dirname, 'require-digest.mjs'), ...args], { encoding: 'utf8' });

  it('is accepted with a digest', () => {
    expect(check(`registry.example/node@sha256:${'0'.repeat(64)}`)).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    [],
    [''],
    ['node:20.20.2-bookworm-slim'],
    [`node@sha256:${'0'.repeat(63)}`],
    [`node@sha256:${'0'.repeat(64)} x`],
  ])('is refused as %j', (...args) => {
    const { status, stderr } = check(...args);
    expect(status).toBe(1);
    expect(stderr).toContain('NODE_IMAGE');
  });

  it('is the argument NODE_IMAGE in every stage of the Dockerfile', () => {
    expect(fixedBaseImages(textOf('infra/docker/Dockerfile'))).toEqual([]);
    expect(fixedBaseImages(['FROM $', '{NODE_IMAGE} AS a\nFROM a AS b\nFROM node:20'].join(''))).toHaveLength(
      1,
    );
  });
});

describe('the package manager of images and development containers', () => {
  const container = JSON.parse(textOf('.devcontainer/devcontainer.json'));
  const enable = 'FROM a AS tools\nRUN corepack enable pnpm && npm install --global turbo@2.0.0\n';
  const install = 'RUN --mount=type=cache,id=pnpm,target=/store pnpm install --frozen-lockfile\n';

  it('is run by Corepack, which verifies the hash in package.json', () => {
    expect(unverifiedInImages(textOf('infra/docker/Dockerfile'), container)).toEqual([]);
    expect(container.build).toMatchObject({
      dockerfile: '../infra/docker/Dockerfile',
      target: 'development',
    });
    expect(container.postCreateCommand).toMatch(/^pnpm install /);
    expect(unverifiedInImages(enable + install, { postCreateCommand: 'pnpm install' })).toEqual([]);
  });

  it.each([
    ['an installation by npm', `${enable}RUN npm install --global pnpm@10.34.9 turbo@2.0.0\n${install}`],
    ['an installation by npm on several lines', `${enable}RUN npm install --global \\\n  pnpm@10.34.9\n`],
    ['a download by npx', `${enable}RUN npx --yes pnpm@10.34.9 install\n`],
    ['an image without Corepack', `FROM a\n${install}`],
    ['a use before Corepack is enabled', `FROM a\n${install}${enable}`],
  ])('may not be %s', (_, dockerfile) => {
    expect(unverifiedInImages(dockerfile, {})).toHaveLength(1);
  });

  it('may not be downloaded by npx when a development container is created', () => {
    const postCreateCommand = 'npx -y pnpm@10.34.9 install --frozen-lockfile';
    expect(unverifiedInImages(enable, { postCreateCommand })).toHaveLength(1);
  });
});

describe('an installation', () => {
  const manifest = JSON.parse(textOf('package.json'));
  const workspace = parse(textOf('pnpm-workspace.yaml'));

  it('uses the package manager of a hash, and no version that is younger than three days', () => {
    expect(looseInstallation(manifest, workspace)).toEqual([]);
    expect(looseInstallation({ packageManager: 'pnpm@10.34.9' }, workspace)).toHaveLength(1);
    expect(looseInstallation(manifest, {})).toHaveLength(1);
    expect(
      looseInstallation(manifest, { ...workspace, minimumReleaseAgeExclude: ['left-pad'] }),
    ).toHaveLength(1);
  });
});
