import { flag } from '@trading-automation/runtime';
import { edgeSettings, isSecureOrigin, originSetting } from '@trading-automation/runtime/edge';
import { z } from 'zod';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/;
const { HOST, PORT, TRUSTED_PROXIES, LOG_LEVEL, COMMIT } = edgeSettings;

/** Schema of `id:hex, id:hex`: keys of 32 bytes. The first one seals new cookies; the others open older ones. */
const sessionKeys = z
  .string()
  .regex(/^[\w-]+:[0-9a-f]{64}(?:,[\w-]+:[0-9a-f]{64})*$/, {
    error: 'expected keys such as k1:<64 hex digits>, separated by commas',
  })
  .transform((text) => text.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1)));

/** Settings of the process, from environment variables. */
export const configSchema = z
  .object({
    HOST,
    PORT,
    TRUSTED_PROXIES,
    LOG_LEVEL,
    COMMIT,
    WORLD: z.enum(['live', 'test'], { error: 'expected live or test' }),
    /** The origin at which browsers reach the dashboard. Requests for another host are refused. */
    PUBLIC_URL: originSetting,
    /** The origin of the REST API, as this process reaches it. */
    REST_URL: originSetting,
    /** The origin of the GraphQL API, as this process reaches it. */
    GRAPHQL_URL: originSetting,
    /** The origin of the REST API, as users reach it; pages show it in commands. Default: REST_URL. */
    REST_PUBLIC_URL: originSetting.optional(),
    /** The origin of the documentation, as users reach it. Without it, pages have no links to it. */
    DOCS_URL: originSetting.optional(),
    /** The longest that a page waits for its data before it is sent without them. */
    PAGE_WAIT_MS: z.coerce.number().int().min(1).max(10_000).default(500),
    SESSION_KEYS: sessionKeys,
    /** The API key of the demo account, for signing in with one click. In development only. */
    DEMO_API_KEY: z.string().min(1).optional(),
    OPEN_REGISTRATION: flag.default(false),
  })
  .superRefine(({ WORLD, HOST: host, PUBLIC_URL, DEMO_API_KEY }, context) => {
    const addIssue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const isLocal = LOOPBACK.test(new URL(PUBLIC_URL).hostname);
    if (!isSecureOrigin(PUBLIC_URL) && !(isLocal && WORLD === 'test'))
      addIssue('PUBLIC_URL', 'must be https, except for a loopback address in the test world');
    if (DEMO_API_KEY !== undefined && !(WORLD === 'test' && isLocal && LOOPBACK.test(host)))
      addIssue('DEMO_API_KEY', 'is allowed only in the test world, with HOST and PUBLIC_URL on loopback');
  });

export type Config = z.output<typeof configSchema>;

/** Gives Next.js the configuration of its build, so that it neither needs nor reads the file of the configuration. */
export function provideBuildConfig(config: object): void {
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(config);
}
