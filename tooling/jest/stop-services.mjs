import { startedForTests } from './services.mjs';

/** Jest's global tear-down: stops only the services that `services.mjs` started. */
export default async function stopServices() {
  const globals = /** @type {Record<symbol, { stop: () => Promise<unknown> } | undefined>} */ (
    /** @type {unknown} */ (globalThis)
  );
  await globals[startedForTests]?.stop();
}
