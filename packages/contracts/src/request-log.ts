import { z } from 'zod';
import { CREDENTIAL_KINDS } from './access.js';
import { idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';

/** The number of days for which a request is listed. */
export const REQUEST_LOG_DAYS = 7;

export const LOGGED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type LoggedMethod = (typeof LOGGED_METHODS)[number];

export const loggedRequest = z
  .object({
    id: idOf('rqt'),
    method: z.enum(LOGGED_METHODS),
    route: z
      .string()
      .describe(
        'The path with the names of its parameters, like `/v1/trades/:id`. A GraphQL request has `/graphql`.',
      ),
    status: z.number().int().describe('The HTTP status. A GraphQL request that was executed has 200.'),
    duration_ms: z
      .number()
      .int()
      .nonnegative()
      .describe(
        'Time until the response was sent, as the server measured it. A stream counts until it ends.',
      ),
    request_id: z.string().describe('The `x-request-id` of the response.'),
    credential: z
      .object({ kind: z.enum(CREDENTIAL_KINDS), id: z.string() })
      .describe('The credential of the request.'),
    address: z.string().describe('The IP address of the client.'),
    created_at: instant.describe('When the request arrived.'),
  })
  .meta({ id: 'LoggedRequest' });
export type LoggedRequest = z.output<typeof loggedRequest>;

const STATUS_FILTER = /^[1-5](?:\d\d|xx)$/;

const CREDENTIAL_ID = /^(?:key|pbk|ses)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export const requestLogOperations = {
  list: defineOperation({
    id: 'requestLog.list',
    method: 'GET',
    path: '/v1/request-log',
    summary: `Lists the requests of the last ${REQUEST_LOG_DAYS} days that your credentials sent to the APIs. A request appears within some seconds.`,
    access: 'ADMIN',
    query: z.strictObject({
      status: z
        .string()
        .regex(STATUS_FILTER, { error: 'Expected an HTTP status like 404, or a class like 4xx.' })
        .optional()
        .describe('An HTTP status like `404`, or a class like `4xx`.'),
      method: z.enum(LOGGED_METHODS).optional(),
      credential_id: z
        .string()
        .regex(CREDENTIAL_ID, {
          error:
            'Expected the id of an API key (key_…), of a public key or browser session (pbk_…), or of a session (ses_…).',
        })
        .optional()
        .describe('The id of an API key, a public key or a session.'),
    }),
    list: { sorts: ['created_at'], limitDefault: 20 },
    response: loggedRequest,
    status: 200,
    errors: [],
  }),
} as const;
