import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { run } from '../commands.mjs';
import { guarded } from '../guard.mjs';
import { root } from '../paths.mjs';
import { signalTree } from '../processes.mjs';
import { migrateDatabase } from '../service-processes.mjs';
import { compileInto, isCompiled } from './compile.mjs';
import { watchFiles } from './watch-files.mjs';
import { memberOf, readWorkspace } from './workspace.mjs';

/** The grace period of a restart is short: every service survives a kill, and a developer should not wait. */
const graceMs = 500;

/**
 * Services that are restarted first, because developers call them directly. Restarting all services together is slower.
 */
const restartedFirst = new Set(['rest-api', 'graphql-api']);

/** Scripts that generate files which a service reads, and the folders from which they are generated. */
const generated = [
  {
    script: 'apps/rest-api/scripts/write-openapi.mjs',
    from: ['packages/contracts/src', 'packages/signed-request/vectors', 'apps/rest-api/src/reference'],
  },
  {
    script: 'apps/graphql-api/scripts/write-schema.mjs',
    from: ['packages/contracts/src', 'apps/graphql-api/src/schema', 'apps/graphql-api/src/resolvers'],
  },
  {
    script: 'apps/graphql-api/graphiql/build.mjs',
    from: ['apps/graphql-api/graphiql', 'packages/signed-request/src'],
  },
  { script: 'apps/dashboard/scripts/build.mjs', from: ['apps/dashboard/src'] },
];

/** Members that are bundled by their own scripts instead of compiled file by file; see `generated` and `finish`. */
const bundled = new Set(['sdk', 'dashboard']);

/** If a file in these folders changes, the migrator must run before the services restart. */
const migrations = ['packages/core/src/database', 'apps/migrator/src'];

/**
 * @typedef {{ service: import('../service-list.mjs').Service,
 *   supervised: import('../service-processes.mjs').ServiceProcess }} RunningService
 */

/**
 * Applies each edit of an app or package: compiles the changed files, then restarts the services that depend on
 * them. A file that does not compile is reported, and the running processes stay as they are.
 *
 * @param {{ running: RunningService[], databaseUrl: string, print: (line: string) => void }} options
 * @returns {{ stop: () => Promise<void> }}
 */
export function applyEdits({ running, databaseUrl, print }) {
  const members = readWorkspace();
  const mailbox = join(root, 'tooling', 'mailbox');
  const folders = [
    ...members.flatMap(({ folder }) => ['src', 'vectors', 'graphiql'].map((name) => join(folder, name))),
    mailbox,
  ];
  /** Changed files that are not applied yet, including files that do not compile. */
  const pending = new Set();
  let types = createTypeCheck(print);
  /** @type {Promise<void> | undefined} */
  let working;
  let hasNewChanges = false;
  let isStopped = false;
  /** @param {string} line */
  const report = (line) => print(`── dev: ${line}`);

  const watching = watchFiles(folders.filter(existsSync), (changed) => {
    for (const file of changed) pending.add(file);
    hasNewChanges = true;
    working ??= work();
  });

  async function work() {
    while (hasNewChanges && !isStopped) {
      hasNewChanges = false;
      types.stop();
      types = createTypeCheck(print);
      try {
        await update();
      } catch (error) {
        report(`${error instanceof Error ? error.message : error}\nThe old processes keep running.`);
      }
    }
    working = undefined;
  }

  async function update() {
    const startedAt = performance.now();
    const files = [...pending];
    pending.clear();
    const changed = members.filter((member) => files.some((file) => memberOf(members, file) === member));
    try {
      await compile(files, changed);
    } catch (error) {
      for (const file of files) pending.add(file);
      throw error;
    }
    const affected = running.filter(({ service }) => dependsOn(service, files, changed));
    report(`${files.map((file) => relative(root, file)).join(', ')}`);
    if (affected.length === 0) {
      report(`compiled in ${Math.round(performance.now() - startedAt)} ms; no service depends on it`);
      return finish(files, changed);
    }
    for (const group of [
      affected.filter(({ service }) => restartedFirst.has(service.name)),
      affected.filter(({ service }) => !restartedFirst.has(service.name)),
    ]) {
      // The launcher is already ending the services.
      if (isStopped) return;
      await Promise.all(group.map(({ supervised }) => supervised.restart(graceMs)));
      const isReady = await Promise.all(group.map(({ supervised }) => readyOrChanged(supervised)));
      if (group.length > 0 && isReady.every(Boolean))
        report(
          `${group.map(({ service }) => service.name).join(', ')} live ${Math.round(performance.now() - startedAt)} ms after the edit`,
        );
    }
    await finish(files, changed);
  }

  /** Waits until a service is ready. Stops waiting at the next edit, because that edit may repair the service. */
  async function readyOrChanged(/** @type {import('../service-processes.mjs').ServiceProcess} */ supervised) {
    let isOver = false;
    const isReady = supervised.untilReady().then(
      () => true,
      (error) => {
        if (!isOver) report(error.message);
        return false;
      },
    );
    /** @type {NodeJS.Timeout | undefined} */
    let poll;
    const isChanged = new Promise((resolve) => {
      poll = setInterval(() => {
        if (hasNewChanges || isStopped) resolve(false);
      }, 20);
    });
    return Promise.race([isReady, isChanged]).finally(() => {
      isOver = true;
      clearInterval(poll);
    });
  }

  /**
   * @param {string[]} files
   * @param {import('./workspace.mjs').Member[]} changed
   */
  async function compile(files, changed) {
    await Promise.all(
      changed
        .filter(({ name }) => !bundled.has(name))
        .map(({ folder }) =>
          compileInto(
            folder,
            files.filter((file) => file.startsWith(folder + sep)),
          ),
        ),
    );
    await Promise.all(
      generated
        .filter(({ from }) => isBelow(files, from))
        .map(({ script }) => succeed('node', [script], root)),
    );
    if (isBelow(files, migrations)) await migrateDatabase(databaseUrl);
  }

  /**
   * Bundles the SDK and checks the types. This runs last, because only the CLI uses the bundled SDK.
   *
   * @param {string[]} files
   * @param {import('./workspace.mjs').Member[]} changed
   */
  async function finish(files, changed) {
    const sdk = members.find(({ name }) => name === 'sdk');
    if (sdk !== undefined && files.some(isCompiled) && changed.some(({ folder }) => sdk.needs.has(folder)))
      await bundle(sdk.folder);
    types.check(changed);
  }

  return {
    async stop() {
      isStopped = true;
      watching.stop();
      types.stop();
      await working;
    },
  };

  /**
   * @param {import('../service-list.mjs').Service} service
   * @param {string[]} files
   * @param {import('./workspace.mjs').Member[]} changed
   */
  function dependsOn({ app, main }, files, changed) {
    if (main !== undefined) return files.some((file) => file.startsWith(dirname(main) + sep));
    const member = members.find(({ folder }) => folder === join(root, 'apps', app));
    // A build of the dashboard takes seconds, so only edits of its own files cause one.
    if (app === 'dashboard') return changed.some((each) => each === member);
    return changed.some(({ folder }) => member?.needs.has(folder));
  }
}

/**
 * @param {string[]} files
 * @param {string[]} folders relative to the root
 */
const isBelow = (files, folders) =>
  files.some(
    (file) =>
      !file.endsWith('.spec.ts') && folders.some((folder) => file.startsWith(join(root, folder) + sep)),
  );

/** Bundles the SDK without its type declarations, which take ten times as long. */
const bundle = (/** @type {string} */ folder) =>
  succeed(
    join(folder, 'node_modules', '.bin', 'tsdown'),
    ['--no-dts', '--no-clean', '--log-level=error'],
    folder,
  );

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
async function succeed(command, args, cwd) {
  const { code, stdout, stderr } = await run(command, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (code !== 0)
    throw new Error(`${[relative(root, command), ...args].join(' ')} failed:\n${stdout}${stderr}`);
}

/**
 * Checks the types of changed apps and packages once their code is live, at low priority, and reports errors.
 *
 * @param {(line: string) => void} print
 */
function createTypeCheck(print) {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const children = new Set();
  let isStopped = false;
  return {
    /** @param {import('./workspace.mjs').Member[]} changed */
    check(changed) {
      if (isStopped) return;
      for (const { name, folder } of changed) {
        const tsc = join(root, 'node_modules', '.bin', 'tsc');
        const child = guarded(
          spawn(tsc, ['-b', '--pretty', 'false'], {
            cwd: folder,
            detached: true,
            stdio: ['ignore', 'pipe', 'inherit'],
          }),
        );
        children.add(child);
        if (child.pid !== undefined) setPriority(child.pid, 10);
        let output = '';
        child.stdout.setEncoding('utf8').on('data', (text) => {
          output += text;
        });
        child.on('error', (error) => print(`── dev: types of ${name} were not checked: ${error.message}`));
        child.on('close', (code) => {
          children.delete(child);
          if (!isStopped && code !== 0)
            print(`── dev: type errors in ${name}; its code runs anyway\n${output}`);
        });
      }
    },
    /** Ends running checks, because a newer edit made them obsolete. */
    stop() {
      isStopped = true;
      for (const { pid } of children) if (pid !== undefined) signalTree(pid, 'SIGKILL');
    },
  };
}
