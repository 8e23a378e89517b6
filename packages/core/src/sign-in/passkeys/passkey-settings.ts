/** Defines the configuration of passkeys. Without it, passkeys are not offered. */
import { z } from 'zod';
import { jsonSetting } from '../../platform/index.js';
import { parseUrl } from '../../values/index.js';

const LOOPBACK = 'localhost';

const passkeysSchema = z
  .strictObject({
    /** The domain that passkeys belong to. Changing it invalidates all of them. */
    rpId: z.string().regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, 'expected a domain in lower case'),
    /** The name that users see. */
    rpName: z.string().min(1).max(64),
    /** Origins that may use passkeys: the domain or its subdomains. */
    origins: z.array(z.string()).min(1),
  })
  .superRefine(({ rpId, origins }, context) => {
    origins.forEach((origin, index) => {
      if (isOriginOf(rpId, origin)) return;
      const message = `expected an https origin of ${rpId}`;
      context.addIssue({ code: 'custom', path: ['origins', index], message });
    });
  });

export type PasskeyOptions = z.output<typeof passkeysSchema>;

/**
 * The schema of an environment variable with JSON such as `{"rpId": "example.com", "rpName": "Example", "origins":
 * ["https://app.example.com"]}`.
 */
export const passkeysSetting = jsonSetting(passkeysSchema);

function isOriginOf(rpId: string, text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined || url.origin !== text) return false;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && url.hostname === LOOPBACK)) return false;
  return url.hostname === rpId || url.hostname.endsWith(`.${rpId}`);
}
