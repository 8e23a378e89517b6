/** The notice of a newer release, in a real terminal and beside a registry of this test's own. */
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
let asked: string[];
let home: string;
beforeEach(async () => {
  asked = [];
  home = emptyFolder();
  registry = createServer(({ url = '' }, response) => {
    asked.push(url);
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

const knownFile = () => join(home, 'configstore', `update-notifier-${NAME}.json`);
const known = () => JSON.parse(readFileSync(knownFile(), 'utf8'));

/** What is known since the registry was asked last. */
function remember({ daysAgo, ...more }: { daysAgo: number; update?: object }): void {
  mkdirSync(dirname(knownFile()), { recursive: true });
  const lastUpdateCheck = Date.now() - daysAgo * 86_400_000;
  writeFileSync(knownFile(), JSON.stringify({ optOut: false, lastUpdateCheck, ...more }));
}

/** What a command shows that is about nothing of the kind. */
async function shown(variables: Record<string, string | undefined> = {}): Promise<string> {
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

it('shows a newer release at the next command, and once', async () => {
  remember({ daysAgo: 2 });
  expect(await shown()).not.toContain(NEWER);
  // It asks by a process of its own, which outlives the command.
  while (known().update === undefined) await wait(20);
  expect(asked).toEqual([`/@${encodeURIComponent(NAME.slice(1))}`]);
  expect(await shown()).toMatch(new RegExp(`Update available.*${NEWER}`));
  expect(await shown()).not.toContain(NEWER);
  expect(asked).toHaveLength(1);
});

it.each([
  ['under NO_UPDATE_NOTIFIER', { NO_UPDATE_NOTIFIER: '1' }],
  ['in CI', { CI: 'true' }],
])('keeps silent %s', async (_when, variables) => {
  const update = { latest: NEWER, current: '0.0.0', type: 'major', name: NAME };
  remember({ daysAgo: 0, update });
  expect(await shown(variables)).not.toContain(NEWER);
  expect(known().update).toEqual(update);
  expect(await shown()).toContain(NEWER);
});
