import { packageManager, verifyPackageManager } from './setup.mjs';

/** Fails if the registry serves another package manager than package.json pins. `npx` does not check the pinned hash. */
await verifyPackageManager(packageManager());
