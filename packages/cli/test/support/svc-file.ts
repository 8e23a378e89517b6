import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The entry point of the command line: as packed and installed by the test run, or else as built in the workspace. */
export const SVC_FILE = process.env.TEST_PACKED_SDK
  ? join(process.env.TEST_PACKED_SDK, 'node_modules/@trading-automation/cli/bin/svc.js')
  : fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
