/** Tests the notice of a newer release in a real terminal, with a local registry. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { emptyFolder } from './support/empty-folder.js';
import { PseudoTerminal } from './support/pseudo-terminal.js';

const NAME = '@trading-automation/cli';
const NEWER = '99.0.0';

let registry: Server;
let registryRequests: string[];
let home: string;
beforeEach(async () => {
  registryRequests = [];
  home = emptyFolder();
  registry = createServer(({ url = '' }, response) => {
    registryRequests.push(url);
    const versions = { [NEWER]: { name: NAME, version: NEWER } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: NEWER }, versions }));
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  registry.closeAllConnections();
  await new Promise((resolve) => registry.close(resolve));
});

const notifierFile = () => join(home, 'configstore', `update-notifier-${NAME}.json`);
const notifierState = () => JSON.parse(readFileSync(notifierFile(), 'utf8'));

/** Stores the result of an earlier check of the registry. */
function storeCheck({ daysAgo, ...more }: { daysAgo: number; update?: object }): void {
  mkdirSync(dirname(notifierFile()), { recursive: true });
  const lastUpdateCheck = Date.now() - daysAgo * 86_400_000;
  writeFileSync(notifierFile(), JSON.stringify({ optOut: false, lastUpdateCheck, ...more }));
}

/** Returns the output of `svc config path`, including a notice of a newer release. */
async function outputOfCommand(variables: Record<string, string | undefined> = {}): Promise<string> {
  const { port } = registry.address() as AddressInfo;
  const terminal = PseudoTerminal.svc(['config', 'path'], {
    NO_UPDATE_NOTIFIER: undefined,
    HOME: home,
    SVC_CONFIG_DIR: home,
    XDG_CONFIG_HOME: home,
    npm_config_registry: `http://127.0.0.1:${port}`,
    ...variables,
  });
  expect(await terminal.end()).toBe(0);
  return terminal.plain;
}

it('requests the newest release in the background, and shows it once, at the next command', async () => {
  storeCheck({ daysAgo: 2 });
  expect(await outputOfCommand()).not.toContain(NEWER);
  // A background process that outlives the command requests the release.
  while (notifierState().update === undefined) await wait(20);
  expect(registryRequests).toEqual([`/@${encodeURIComponent(NAME.slice(1))}`]);
  expect(await outputOfCommand()).toMatch(new RegExp(`Update available.*${NEWER}`));
  expect(await outputOfCommand()).not.toContain(NEWER);
  expect(registryRequests).toHaveLength(1);
});

it.each([
  ['with NO_UPDATE_NOTIFIER', { NO_UPDATE_NOTIFIER: '1' }],
  ['in CI', { CI: 'true' }],
])('shows no newer release %s', async (_when, variables) => {
  const update = { latest: NEWER, current: '0.0.0', type: 'major', name: NAME };
  storeCheck({ daysAgo: 0, update });
  expect(await outputOfCommand(variables)).not.toContain(NEWER);
  expect(notifierState().update).toEqual(update);
  expect(await outputOfCommand()).toContain(NEWER);
});
