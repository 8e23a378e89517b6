import { offerSharedProduct } from '../e2e/shared-product.mjs';
import { installPacked } from '../launch/packed-sdk.mjs';
import { startKeeper } from '../launch/servers.mjs';
import { startTestServers } from '../launch/test-servers.mjs';

/** Where `stop-services.mjs` finds what was begun here; Jest gives the two nothing else in common. */
export const begunForTests = Symbol.for('trading-automation.begun-for-tests');

const nothing = async () => {};

/**
 * Jest's global set-up: a Postgres and a Redis for the whole run, unless somebody (`npm test`, or a developer
 * with servers of their own) gave their addresses already; the SDK and the CLI as they are published; and the product
 * that end-to-end tests share, which starts when the first of them asks for it.
 */
export default async function startServices() {
  const begun = await Promise.all([startServers(), packSdk()]);
  const shared = await offerSharedProduct();
  process.env.TEST_SHARED_PRODUCT = shared.url;
  const stop = async () => {
    // Before the servers that it uses.
    await shared.stop();
    await Promise.all(begun.map((end) => end()));
  };
  Object.assign(globalThis, { [begunForTests]: { stop } });
}

async function startServers() {
  const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
  if (TEST_DATABASE_URL !== undefined && TEST_REDIS_URL !== undefined) return nothing;
  const servers = await startTestServers({
    postgres: TEST_DATABASE_URL === undefined,
    redis: TEST_REDIS_URL === undefined,
  });
  process.env.TEST_DATABASE_URL ??= servers.databaseUrl;
  process.env.TEST_REDIS_URL ??= servers.redisUrl;
  return servers.stop;
}

/** A unit test needs no build. Without one the path is empty, and the tests that need it say so. */
async function packSdk() {
  if (process.env.TEST_PACKED_SDK !== undefined) return nothing;
  try {
    const folder = await installPacked(['sdk', 'cli']);
    process.env.TEST_PACKED_SDK = folder;
    const keeper = startKeeper(() => undefined);
    keeper.removeAfterwards(folder);
    return keeper.stop;
  } catch (error) {
    process.env.TEST_PACKED_SDK = '';
    console.error(`The SDK and the CLI were not packed: ${error instanceof Error ? error.message : error}`);
    return nothing;
  }
}
