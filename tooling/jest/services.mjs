import { offerSharedProduct } from '../e2e/shared-product.mjs';
import { installPacked } from '../launch/packed-sdk.mjs';
import { startServerSupervisor } from '../launch/servers.mjs';
import { startTestServers } from '../launch/test-servers.mjs';

/** The global under which `stop-services.mjs` finds the started services. Jest offers no other way to pass them. */
export const startedForTests = Symbol.for('trading-automation.started-for-tests');

const doNothing = async () => {};

/**
 * Jest's global set-up. It starts one Postgres and one Redis for the whole run, unless the environment already names
 * servers. It packs the SDK and the CLI as they are published. It also starts a server from which end-to-end tests
 * request the product that they share; the first request starts that product.
 */
export default async function startServices() {
  const stopFunctions = await Promise.all([startServers(), packSdk()]);
  const shared = await offerSharedProduct();
  process.env.TEST_SHARED_PRODUCT = shared.url;
  const stop = async () => {
    // The product must stop before the servers that it uses.
    await shared.stop();
    await Promise.all(stopFunctions.map((end) => end()));
  };
  Object.assign(globalThis, { [startedForTests]: { stop } });
}

async function startServers() {
  const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
  if (TEST_DATABASE_URL !== undefined && TEST_REDIS_URL !== undefined) return doNothing;
  const servers = await startTestServers({
    postgres: TEST_DATABASE_URL === undefined,
    redis: TEST_REDIS_URL === undefined,
  });
  process.env.TEST_DATABASE_URL ??= servers.databaseUrl;
  process.env.TEST_REDIS_URL ??= servers.redisUrl;
  return servers.stop;
}

/** Packs the SDK and the CLI. Without a build, TEST_PACKED_SDK is empty, and only the tests that need the packages fail. */
async function packSdk() {
  if (process.env.TEST_PACKED_SDK !== undefined) return doNothing;
  try {
    const folder = await installPacked(['sdk', 'cli']);
    process.env.TEST_PACKED_SDK = folder;
    const supervisor = startServerSupervisor(() => undefined);
    supervisor.removeAfterwards(folder);
    return supervisor.stop;
  } catch (error) {
    process.env.TEST_PACKED_SDK = '';
    console.error(`The SDK and the CLI were not packed: ${error instanceof Error ? error.message : error}`);
    return doNothing;
  }
}
