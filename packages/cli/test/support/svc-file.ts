import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command line as it is published where the run packed it, else as it was built here. */
export const SVC_FILE = process.env.TEST_PACKED_SDK
  ? join(process.env.TEST_PACKED_SDK, 'node_modules/@trading-automation/cli/bin/svc.js')
  : fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
