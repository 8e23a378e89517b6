/** Rules for what workflows and installations may run. Each function returns the violations that it found, as sentences. */

/** @typedef {{ uses?: string, run?: string, with?: Record<string, unknown> }} Step */
/** @typedef {{ permissions?: Record<string, string>, steps?: Step[] }} Job */
/** @typedef {{ permissions?: Record<string, string>, jobs: Record<string, Job> }} Workflow */

/** Whether the reference of an image cannot change: it ends with a SHA-256 digest. */
export const isPinnedImage = (/** @type {string} */ image) => /^[^\s@]+@sha256:[0-9a-f]{64}$/.test(image);

/** An action of GitHub at a commit, for example `actions/checkout@<40 hexadecimal digits>`. */
const PINNED_ACTION = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;

/** Commands that run code of installed packages. */
const RUNS_PACKAGES = /\b(?:npm (?:ci|install|run|start|test)|npx|pnpm|yarn|corepack|turbo)\b|\.ci\/run/;

/** @param {Workflow} workflow @returns {string[]} */
export function unpinnedActions({ jobs }) {
  return stepsOf(jobs)
    .map(({ step }) => step.uses)
    .filter((action) => action !== undefined && !PINNED_ACTION.test(action))
    .map((action) => `${action} is not pinned to a commit`);
}

/**
 * A job that may write, or that may request a token of the workflow's identity, must run neither installed packages nor
 * actions of third parties.
 *
 * @param {Workflow} workflow
 * @returns {string[]}
 */
export function thirdPartiesThatMayWrite({ permissions, jobs }) {
  const violations = [];
  if (permissions === undefined || Object.keys(permissions).length > 0)
    violations.push('the workflow does not start with empty permissions');
  for (const { name, job, step } of stepsOf(jobs)) {
    if (job.permissions === undefined) violations.push(`the job ${name} does not declare its permissions`);
    if (!Object.values(job.permissions ?? {}).includes('write')) continue;
    if (step.uses !== undefined && !step.uses.startsWith('actions/'))
      violations.push(`the job ${name} may write and uses ${step.uses}`);
    if (step.run !== undefined && RUNS_PACKAGES.test(step.run))
      violations.push(`the job ${name} may write and runs packages: ${step.run}`);
  }
  return violations;
}

/**
 * An image is built only after its base image was found to be a digest, by an earlier step of the same job.
 *
 * @param {Workflow} workflow
 * @returns {string[]}
 */
export function buildsWithoutDigest({ jobs }) {
  const violations = [];
  for (const [name, { steps = [] }] of Object.entries(jobs)) {
    const build = steps.findIndex(({ run }) => /\bdocker (?:buildx )?build\b/.test(run ?? ''));
    const check = steps.findIndex(({ run }) => /require-digest\.mjs "\$NODE_IMAGE"/.test(run ?? ''));
    if (build < 0) continue;
    if (check < 0 || check > build)
      violations.push(`the job ${name} builds an image before it checks the base image`);
    if (!steps[build]?.run?.includes('--build-arg "NODE_IMAGE=$NODE_IMAGE"'))
      violations.push(`the job ${name} builds an image from another base image`);
  }
  return violations;
}

/**
 * Finds jobs that run the package manager by `npx` before its hash was verified. `npx` ignores the pinned hash.
 *
 * @param {{ jobs: Record<string, Job> }} workflow
 * @returns {string[]}
 */
export function unverifiedPackageManager({ jobs }) {
  return Object.entries(jobs).flatMap(([name, { steps = [] }]) => {
    const isVerified = (/** @type {number} */ end) =>
      steps.slice(0, end).some(({ run = '' }) => run.includes('verify-package-manager.mjs'));
    const first = steps.findIndex(({ run = '' }) => /npx .*(?:pnpm|packageManager)/.test(run));
    return first === -1 || isVerified(first) ? [] : [`${name} runs a package manager of unverified hash`];
  });
}

/**
 * Finds commands of images and development containers that run a package manager of unverified hash. Corepack verifies the
 * hash in package.json; npm and npx ignore it.
 *
 * @param {string} dockerfile
 * @param {{ postCreateCommand?: string }} container
 * @returns {string[]}
 */
export function unverifiedInImages(dockerfile, { postCreateCommand = '' }) {
  const instructions = dockerfile.replace(/^#.*\n/gm, '').replaceAll('\\\n', ' ');
  const violations = [...instructions.split('\n'), postCreateCommand]
    .filter((command) => /\b(?:npm|npx)\b[^&|;]*\bpnpm\b/.test(command))
    .map((command) => `npm or npx provides a package manager of unverified hash: ${command}`);
  const enabled = instructions.indexOf('corepack enable pnpm');
  const first = instructions.search(/\bpnpm (?:install|--)/);
  if (enabled === -1 || (first !== -1 && first < enabled))
    violations.push('the image runs pnpm before `corepack enable pnpm`');
  return violations;
}

/**
 * @param {string} dockerfile
 * @returns {string[]}
 */
export function fixedBaseImages(dockerfile) {
  const stages = new Set([...dockerfile.matchAll(/^FROM\s+\S+\s+AS\s+(\S+)/gim)].map(([, stage]) => stage));
  return [...dockerfile.matchAll(/^FROM\s+(\S+)/gim)]
    .map(([, image]) => String(image))
    .filter((image) => !/^\$\{NODE_IMAGE\}$/.test(image) && !stages.has(image))
    .map((image) => `${image} is not set by the argument NODE_IMAGE`);
}

/**
 * @param {{ packageManager?: string }} manifest
 * @param {{ minimumReleaseAge?: number, minimumReleaseAgeExclude?: string[] }} workspace
 * @returns {string[]}
 */
export function looseInstallation(
  { packageManager = '' },
  { minimumReleaseAge = 0, minimumReleaseAgeExclude },
) {
  const violations = [];
  if (!/^pnpm@\d+\.\d+\.\d+\+sha512\.[0-9a-f]{128}$/.test(packageManager))
    violations.push('packageManager in package.json has no SHA-512 hash');
  if (minimumReleaseAge < 3 * 24 * 60)
    violations.push('pnpm-workspace.yaml allows versions that are younger than three days');
  if (minimumReleaseAgeExclude !== undefined)
    violations.push('pnpm-workspace.yaml exempts packages from the minimum age');
  return violations;
}

/** @param {Record<string, Job>} jobs */
function stepsOf(jobs) {
  return Object.entries(jobs).flatMap(([name, job]) =>
    (job.steps ?? []).map((step) => ({ name, job, step })),
  );
}
