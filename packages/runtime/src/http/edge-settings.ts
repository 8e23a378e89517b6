/** What the environment says of an API's edge. */
import { z } from 'zod';
import { ALL_ORIGINS } from './cors.js';

/** A comma-separated list; empty where the text is. */
export const listSetting = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
export const proxiesSetting = listSetting.pipe(
  z.array(
    z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
      error: 'expected addresses and CIDR ranges, separated by commas',
    }),
  ),
);

export const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** Origins whose pages may read answers, or `*` alone. */
export const corsOriginsSetting = listSetting.refine(
  (origins) => origins.every(isOrigin) || (origins.length === 1 && origins[0] === ALL_ORIGINS),
  { error: 'expected origins like https://app.example.com, separated by commas, or * alone' },
);
