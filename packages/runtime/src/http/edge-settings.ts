/** Settings of the HTTP server of an API, from the environment. */
import { z } from 'zod';
import { port } from '../config.js';
import { ALL_ORIGINS } from './cors.js';

/** Schema of a comma-separated list. */
const listSetting = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const PREFIX_BITS_MIN = { ipv4: 8, ipv6: 16 };

/** Returns whether a range can be one of proxies. A wider one contains clients, which could then forge addresses. */
function isProxyRange(range: string): boolean {
  const [address = '', bits] = range.split('/');
  const min = address.includes(':') ? PREFIX_BITS_MIN.ipv6 : PREFIX_BITS_MIN.ipv4;
  return bits === undefined || Number(bits) >= min;
}

/** Addresses and CIDR ranges whose `X-Forwarded-For` is trusted. */
const proxiesSetting = listSetting
  .pipe(
    z.array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
        error: 'expected addresses and CIDR ranges, separated by commas',
      }),
    ),
  )
  .refine((ranges) => ranges.every(isProxyRange), {
    error: 'a range is so wide that clients could choose their own address; name the proxies',
  });

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** Schema of one origin, such as `https://api.example.com`. */
export const originSetting = z
  .string()
  .refine(isOrigin, { error: 'expected an origin, such as https://api.example.com' });

/** Returns whether an origin of the configuration is reached over TLS. */
export function isSecureOrigin(origin: string): boolean {
  return origin.startsWith('https:');
}

/** Origins whose pages may read responses, or `*` alone. */
const corsOriginsSetting = listSetting.refine(
  (origins) => origins.every(isOrigin) || (origins.length === 1 && origins[0] === ALL_ORIGINS),
  { error: 'expected origins such as https://app.example.com, separated by commas, or * alone' },
);

/** The HTTP settings of every API. */
export const edgeSettings = {
  HOST: z.string().min(1).default('127.0.0.1'),
  /** 0 selects a free port; the `ready` log line reports it. */
  PORT: port.default(0),
  /** Proxies whose `X-Forwarded-For` is trusted. Default: none. */
  TRUSTED_PROXIES: proxiesSetting.default([]),
  /** Origins whose pages may read responses. Default: none. */
  CORS_ORIGINS: corsOriginsSetting.default([]),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  COMMIT: z.string().default('unknown'),
};
