import { begunForTests } from './services.mjs';

/** Jest's global tear-down: ends what `services.mjs` began, and nothing else. */
export default async function stopServices() {
  const begun = /** @type {Record<symbol, { stop: () => Promise<unknown> } | undefined>} */ (
    /** @type {unknown} */ (globalThis)
  );
  await begun[begunForTests]?.stop();
}
