import { z } from 'zod';
import { defineOperation } from './operation.js';

/** The world of a deployment: `test` trades only on paper exchanges, `live` on real ones. */
export const WORLDS = ['test', 'live'] as const;
export type World = (typeof WORLDS)[number];

export const health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });

export const detailedHealth = z
  .object({
    status: z.enum(['ok', 'degraded']),
    services: z.record(
      z.string(),
      z.object({
        status: z.enum(['ok', 'degraded']),
        age_ms: z
          .number()
          .int()
          .nonnegative()
          .describe("Time since the service's last heartbeat, in milliseconds."),
      }),
    ),
  })
  .meta({ id: 'DetailedHealth' });
export type DetailedHealth = z.output<typeof detailedHealth>;

export const version = z
  .object({ version: z.string(), commit: z.string(), api: z.literal('v1'), world: z.enum(WORLDS) })
  .meta({ id: 'Version' });
export type Version = z.output<typeof version>;

export const serviceOperations = {
  health: defineOperation({
    id: 'health.get',
    method: 'GET',
    path: '/v1/health',
    summary: 'Liveness check.',
    access: 'PUBLIC',
    response: health,
    status: 200,
    errors: [],
  }),
  detailedHealth: defineOperation({
    id: 'health.detailed',
    method: 'GET',
    path: '/v1/health/detailed',
    summary: 'Returns the status of each service that the API depends on.',
    access: 'PUBLIC',
    response: detailedHealth,
    status: 200,
    errors: [],
  }),
  version: defineOperation({
    id: 'version.get',
    method: 'GET',
    path: '/v1/version',
    summary: 'Returns the build version and the environment, test or live.',
    access: 'PUBLIC',
    response: version,
    status: 200,
    errors: [],
  }),
} as const;
