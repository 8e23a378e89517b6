import { z } from 'zod';
import { identityProof } from './identity-proof.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, PERMISSIONS, visibleText } from './operation.js';

/** The time after which a browser session ends, even if it is used. */
export const BROWSER_SESSION_HOURS = 12;
/** A browser session ends after this time without a request that a user caused. */
export const BROWSER_SESSION_IDLE_MINUTES = 30;
/** The time for which a device authorization can be approved. */
export const DEVICE_AUTHORIZATION_MINUTES = 10;
/** The shortest time between two polls of a device authorization, in seconds. */
export const DEVICE_POLL_SECONDS = 5;
/** The letters of user codes. There are no vowels, so that no code is a word, and no Y. */
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
export const USER_CODE_LENGTH = 8;

/**
 * Marks a request of a browser session that no user caused, such as a refresh of what is on screen. It does not extend
 * the session.
 */
export const BACKGROUND_HEADER = 'x-background';

const permission = z.enum(PERMISSIONS);
/** The kinds of credentials that approve browser sessions. */
export const APPROVER_KINDS = ['api_key', 'public_key', 'session'] as const;
const clientName = visibleText({ max: 60 }).describe(
  'Name of the client, which the approver sees: letters, digits, punctuation, symbols and spaces.',
);

/** Why a browser session has ended. */
export const BROWSER_SESSION_ENDS = ['REVOKED', 'EXPIRED', 'IDLE'] as const;
export type BrowserSessionEnd = (typeof BROWSER_SESSION_ENDS)[number];

export const browserSession = z
  .object({
    id: idOf('pbk').describe('Id of the public key that signs the requests of the session.'),
    user_id: idOf('usr'),
    client_name: z.string(),
    address: z.string().describe('IP address of the client that opened the session.'),
    permissions: z.array(permission),
    approved_by: z
      .object({ kind: z.enum(APPROVER_KINDS), id: z.string() })
      .describe('The credential that approved the session. The session ends with it.'),
    approved_at: instant,
    last_used_at: instant.describe('Time of the last request that a user caused, to within 10 seconds.'),
    idle_at: instant.describe(
      'When the session ends unless a user causes a request: 30 minutes after `last_used_at`.',
    ),
    expires_at: instant.describe('When the session ends in any case: at most 12 hours after `approved_at`.'),
    created_at: instant,
  })
  .meta({ id: 'BrowserSession' });
export type BrowserSession = z.output<typeof browserSession>;

export const browserSessionCreate = z
  .strictObject({ client_name: clientName, ...identityProof })
  .meta({ id: 'BrowserSessionCreate' });
export type BrowserSessionCreate = z.output<typeof browserSessionCreate>;

export const deviceAuthorizationCreate = z
  .strictObject({
    client_name: clientName,
    permissions: z
      .array(permission)
      .min(1)
      .max(PERMISSIONS.length)
      .default(['READ', 'TRADE'])
      .describe('The permissions that the client requests. The approver may grant fewer.'),
    ...identityProof,
  })
  .meta({ id: 'DeviceAuthorizationCreate' });
export type DeviceAuthorizationCreate = z.output<typeof deviceAuthorizationCreate>;

export const startedDeviceAuthorization = z
  .object({
    device_code: z.string().describe('Secret of the client, with which it asks for the result.'),
    user_code: z
      .string()
      .describe(
        'Code that the client shows. The user enters it where they are signed in, for example `svc auth approve`.',
      ),
    expires_at: instant,
    interval: z
      .number()
      .int()
      .positive()
      .describe('Shortest time between two requests for the result, in seconds.'),
  })
  .meta({ id: 'StartedDeviceAuthorization' });
export type StartedDeviceAuthorization = z.output<typeof startedDeviceAuthorization>;

const userCode = z
  .string()
  .min(1)
  .max(40)
  .describe('Code that the client shows. Letter case, spaces and hyphens do not matter.');

export const deviceAuthorization = z
  .object({
    user_code: z.string(),
    client_name: z.string(),
    address: z.string().describe('IP address of the client.'),
    permissions: z.array(permission).describe('The permissions that the client requests.'),
    status: z.enum(['PENDING', 'APPROVED', 'DENIED', 'EXPIRED']),
    created_at: instant,
    expires_at: instant,
  })
  .meta({ id: 'DeviceAuthorization' });
export type DeviceAuthorization = z.output<typeof deviceAuthorization>;

export const deviceApproval = z
  .strictObject({
    user_code: userCode,
    permissions: z
      .array(permission)
      .min(1)
      .max(PERMISSIONS.length)
      .optional()
      .describe('The permissions to grant, each of which the client requested. Default: all of these.'),
  })
  .meta({ id: 'DeviceApproval' });
export type DeviceApproval = z.output<typeof deviceApproval>;

export const deviceDenial = z.strictObject({ user_code: userCode }).meta({ id: 'DeviceDenial' });
export type DeviceDenial = z.output<typeof deviceDenial>;

export const deviceTokenCreate = z
  .strictObject({ device_code: z.string().min(1).max(100) })
  .meta({ id: 'DeviceTokenCreate' });
export type DeviceTokenCreate = z.output<typeof deviceTokenCreate>;

export const grantedSession = z
  .object({
    public_key_id: idOf('pbk'),
    user_id: idOf('usr'),
    permissions: z.array(permission),
    expires_at: instant,
  })
  .meta({ id: 'GrantedSession' });
export type GrantedSession = z.output<typeof grantedSession>;

export const browserSessionOperations = {
  start: defineOperation({
    id: 'deviceAuthorizations.create',
    method: 'POST',
    path: '/v1/auth/device',
    summary:
      'Starts a sign-in by code: the client shows the user code, and a user approves it with an ADMIN credential. The private key of `pubkey` must have signed the challenge.',
    access: 'CHALLENGE',
    bucket: 'identity_writes',
    body: deviceAuthorizationCreate,
    response: startedDeviceAuthorization,
    returnsSecret: true,
    status: 201,
    errors: ['invalid_signature', 'already_exists'],
  }),
  get: defineOperation({
    id: 'deviceAuthorizations.get',
    method: 'GET',
    path: '/v1/auth/device/:user_code',
    summary: 'Returns the sign-in that shows this code, so that a user can check it before they approve it.',
    access: 'ADMIN',
    params: z.object({ user_code: userCode }),
    response: deviceAuthorization,
    status: 200,
    errors: ['not_found'],
  }),
  approve: defineOperation({
    id: 'deviceAuthorizations.approve',
    method: 'POST',
    path: '/v1/auth/device/approve',
    summary:
      "Approves a sign-in by code. Its session gets your account, and at most your credential's permissions, expiry and allow-list.",
    access: 'ADMIN',
    bucket: 'sensitive_writes',
    body: deviceApproval,
    response: browserSession,
    status: 200,
    errors: ['not_found', 'invalid_state', 'limit_reached'],
  }),
  deny: defineOperation({
    id: 'deviceAuthorizations.deny',
    method: 'POST',
    path: '/v1/auth/device/deny',
    summary: 'Refuses a sign-in by code.',
    access: 'ADMIN',
    body: deviceDenial,
    response: deviceAuthorization,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  token: defineOperation({
    id: 'deviceAuthorizations.token',
    method: 'POST',
    path: '/v1/auth/device/token',
    summary:
      'Returns the session of an approved sign-in by code. Until then, 409 `invalid_state` with the state PENDING, DENIED or EXPIRED.',
    access: 'PUBLIC',
    body: deviceTokenCreate,
    response: grantedSession,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  create: defineOperation({
    id: 'browserSessions.create',
    method: 'POST',
    path: '/v1/auth/sessions',
    summary:
      "Opens a browser session with the permissions of the request's credential. The private key of `pubkey`, which must have signed the challenge, signs the requests of the session.",
    access: 'READ',
    bucket: 'sensitive_writes',
    body: browserSessionCreate,
    response: browserSession,
    status: 201,
    errors: ['invalid_signature', 'already_exists', 'permission_denied', 'limit_reached'],
  }),
  list: defineOperation({
    id: 'browserSessions.list',
    method: 'GET',
    path: '/v1/auth/sessions',
    summary: 'Lists your open browser sessions.',
    access: 'READ',
    list: { sorts: ['created_at'], limitDefault: 20 },
    response: browserSession,
    status: 200,
    errors: [],
  }),
  revoke: defineOperation({
    id: 'browserSessions.revoke',
    method: 'DELETE',
    path: '/v1/auth/sessions/:id',
    summary: 'Ends a browser session immediately.',
    access: 'ADMIN',
    sessionAccess: 'READ',
    params: z.object({ id: idInput('pbk') }),
    response: deletedOf(idOf('pbk')),
    status: 200,
    errors: ['not_found'],
  }),
  revokeAll: defineOperation({
    id: 'browserSessions.revokeAll',
    method: 'POST',
    path: '/v1/auth/sessions/revoke-all',
    summary: 'Ends all your browser sessions immediately.',
    access: 'ADMIN',
    sessionAccess: 'READ',
    response: z
      .object({ revoked: z.number().int().nonnegative().describe('Number of ended sessions.') })
      .meta({
        id: 'RevokedSessions',
      }),
    status: 200,
    errors: [],
  }),
} as const;
