/** What the environment says of an API's edge. */
import { z } from 'zod';
import { port } from '../config.js';
import { ALL_ORIGINS } from './cors.js';

/** A comma-separated list; empty where the text is. */
const listSetting = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
const proxiesSetting = listSetting.pipe(
  z.array(
    z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
      error: 'expected addresses and CIDR ranges, separated by commas',
    }),
  ),
);

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** The origin of a service. */
export const originSetting = z
  .string()
  .refine(isOrigin, { error: 'expected an origin, like https://api.example.com' });

/** Origins whose pages may read answers, or `*` alone. */
const corsOriginsSetting = listSetting.refine(
  (origins) => origins.every(isOrigin) || (origins.length === 1 && origins[0] === ALL_ORIGINS),
  { error: 'expected origins like https://app.example.com, separated by commas, or * alone' },
);

/** What every API is told of its edge. */
export const edgeSettings = {
  HOST: z.string().min(1).default('127.0.0.1'),
  /** 0 takes a free port; the `ready` line tells which. */
  PORT: port.default(0),
  /** Whose `X-Forwarded-For` is believed: nobody's unless named. */
  TRUSTED_PROXIES: proxiesSetting.default([]),
  /** Pages that may read answers: none unless named. */
  CORS_ORIGINS: corsOriginsSetting.default([]),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  COMMIT: z.string().default('unknown'),
};
