/** Where passkeys are good, as configuration says it; without it they are not offered. */
import { z } from 'zod';
import { jsonSetting } from '../../platform/index.js';
import { parseUrl } from '../../values/index.js';

const LOOPBACK = 'localhost';

const passkeysSchema = z
  .strictObject({
    /** The domain that passkeys belong to. To change it makes all of them worthless. */
    rpId: z.string().regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, 'expected a domain in lower case'),
    /** What users are shown. */
    rpName: z.string().min(1).max(64),
    /** The pages that may use them: the domain's, or of a domain below it. */
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

/** A variable of the environment: JSON, like `{"rpId": "example.com", "rpName": "Example", "origins": ["https://app.example.com"]}`. */
export const passkeysSetting = jsonSetting(passkeysSchema);

function isOriginOf(rpId: string, text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined || url.origin !== text) return false;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && url.hostname === LOOPBACK)) return false;
  return url.hostname === rpId || url.hostname.endsWith(`.${rpId}`);
}
