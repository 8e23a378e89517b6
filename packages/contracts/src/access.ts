import { z } from 'zod';
import { idGiven, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, instantGiven, PERMISSIONS, text } from './operation.js';
import { WORLDS } from './service.js';

const permission = z.enum(PERMISSIONS);

export const me = z
  .object({
    id: idOf('usr'),
    email: z
      .string()
      .optional()
      .describe('The address given last. Mail goes to the last verified one until this one is verified.'),
    email_verified: z.boolean().describe('Whether `email` was proved by the link that was sent to it.'),
    created_at: instant,
    credential: z.object({
      kind: z.enum(['api_key', 'public_key', 'session']),
      id: z.string(),
      permissions: z.array(permission),
    }),
    world: z.enum(WORLDS),
  })
  .meta({ id: 'Me' });
export type Me = z.output<typeof me>;

export const EMAIL_MAX = 254;

export const mePatch = z
  .strictObject({
    email: z
      .email({ error: 'Expected an e-mail address.' })
      .max(EMAIL_MAX)
      .optional()
      .describe('A link to verify the address is sent to it; asked for again, the link is sent again.'),
  })
  .meta({ id: 'MePatch' });
export type MePatch = z.output<typeof mePatch>;

export const apiKey = z
  .object({
    id: idOf('key'),
    name: z.string(),
    prefix: z.enum(['svc_live_', 'svc_test_']),
    last_four: z.string().describe('Last four characters of the key, to tell keys apart.'),
    permissions: z.array(permission),
    ip_allowlist: z.array(z.string()).describe('Addresses and CIDR ranges; empty allows all.'),
    expires_at: instant.nullable().describe('Null: it does not expire.'),
    last_used_at: instant.nullable().describe('Null before the first use.'),
    created_at: instant,
    revoked_at: instant.nullable().describe('Null while it works.'),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof apiKey>;

export const apiKeyWithValue = apiKey
  .extend({ key: z.string().describe('The key itself: shown here alone, and never again.') })
  .meta({ id: 'ApiKeyWithValue' });
export type ApiKeyWithValue = z.output<typeof apiKeyWithValue>;

export const apiKeyCreate = z
  .strictObject({
    name: text({ max: 100 }).describe('Your label for the key.'),
    permissions: z.array(permission).min(1).max(4).default(['READ', 'TRADE']),
    ip_allowlist: z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
          error: 'Expected an IP address or a CIDR range.',
        }),
      )
      .max(100)
      .default([]),
    expires_at: instantGiven.optional(),
  })
  .meta({ id: 'ApiKeyCreate' });
export type ApiKeyCreate = z.output<typeof apiKeyCreate>;

const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), { error: `Expected ${bytes} bytes in lower-case hex.` });

export const cliChallenge = z
  .object({ challenge: hex(32), expires_at: instant })
  .meta({ id: 'CliChallenge' });
export type CliChallenge = z.output<typeof cliChallenge>;

export const cliIdentityCreate = z
  .strictObject({
    challenge: hex(32),
    pubkey: hex(33).describe('Compressed secp256k1 public key.'),
    signature: hex(64).describe('Over the UTF-8 text `svc-cli-identity\\n<challenge>\\n<pubkey>`.'),
    label: text({ max: 100 }).optional(),
  })
  .meta({ id: 'CliIdentityCreate' });
export type CliIdentityCreate = z.output<typeof cliIdentityCreate>;

export const publicKey = z
  .object({
    id: idOf('pbk'),
    user_id: idOf('usr'),
    pubkey: hex(33),
    label: z.string().optional(),
    created_at: instant,
    last_used_at: instant.optional(),
    revoked_at: instant.optional(),
  })
  .meta({ id: 'PublicKey' });
export type PublicKey = z.output<typeof publicKey>;

const apiKeyPath = z.object({ id: idGiven('key') });
const publicKeyPath = z.object({ id: idGiven('pbk') });

export const accessOperations = {
  me: defineOperation({
    id: 'me.get',
    method: 'GET',
    path: '/v1/me',
    summary: 'The account and the credential that ask.',
    access: 'READ',
    response: me,
    status: 200,
    errors: [],
  }),
  updateMe: defineOperation({
    id: 'me.update',
    method: 'PATCH',
    path: '/v1/me',
    summary: 'Changes the account. A new e-mail address is sent a link; it counts once that was opened.',
    access: 'ADMIN',
    body: mePatch,
    response: me,
    status: 200,
    errors: [],
  }),
  verifyEmail: defineOperation({
    id: 'auth.verifyEmail',
    method: 'GET',
    path: '/v1/auth/email-verification',
    summary: 'Verifies an e-mail address: the link that was sent to it. It is good for 24 hours.',
    access: 'PUBLIC',
    query: z.strictObject({ code: z.string().describe('From the link.') }),
    response: z.object({ email_verified: z.literal(true) }),
    status: 200,
    errors: ['not_found'],
  }),
  cliChallenge: defineOperation({
    id: 'auth.cliChallenge',
    method: 'GET',
    path: '/v1/auth/cli-challenge',
    summary: 'A challenge to sign, good once and for five minutes.',
    access: 'PUBLIC',
    query: z.strictObject({ pubkey: hex(33).optional() }),
    response: cliChallenge,
    status: 200,
    errors: [],
  }),
  cliIdentity: defineOperation({
    id: 'auth.cliIdentity',
    method: 'POST',
    path: '/v1/auth/cli-identity',
    summary:
      'Links a key pair by its signature over a challenge; without a credential, opens an account for it.',
    access: 'CHALLENGE',
    bucket: 'identity_writes',
    body: cliIdentityCreate,
    response: publicKey,
    status: 201,
    errors: ['invalid_signature', 'already_exists', 'permission_denied'],
  }),
  listApiKeys: defineOperation({
    id: 'apiKeys.list',
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'The API keys of the account; revoked ones with `include=revoked`.',
    access: 'ADMIN',
    list: { sorts: ['created_at', 'name'], limitDefault: 20, includes: ['revoked'] },
    response: apiKey,
    status: 200,
    errors: [],
  }),
  createApiKey: defineOperation({
    id: 'apiKeys.create',
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Makes an API key that may do no more than its maker.',
    access: 'ADMIN',
    bucket: 'sensitive_writes',
    body: apiKeyCreate,
    response: apiKeyWithValue,
    status: 201,
    errors: ['limit_reached'],
  }),
  revokeApiKey: defineOperation({
    id: 'apiKeys.revoke',
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    summary: 'Revokes an API key at once; the last ADMIN credential stays.',
    access: 'ADMIN',
    bucket: 'sensitive_writes',
    params: apiKeyPath,
    response: deletedOf(idOf('key')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  rotateApiKey: defineOperation({
    id: 'apiKeys.rotate',
    method: 'POST',
    path: '/v1/api-keys/:id/rotate',
    summary: 'Gives an API key a new value, and ends the old one at once.',
    access: 'ADMIN',
    bucket: 'sensitive_writes',
    params: apiKeyPath,
    response: apiKeyWithValue,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  listPublicKeys: defineOperation({
    id: 'publicKeys.list',
    method: 'GET',
    path: '/v1/auth/public-keys',
    summary: 'The public keys of the account; revoked ones with `include=revoked`.',
    access: 'ADMIN',
    list: { sorts: ['created_at'], limitDefault: 20, includes: ['revoked'] },
    response: publicKey,
    status: 200,
    errors: [],
  }),
  revokePublicKey: defineOperation({
    id: 'publicKeys.revoke',
    method: 'DELETE',
    path: '/v1/auth/public-keys/:id',
    summary: 'Revokes a public key at once; the last ADMIN credential stays. It may be linked again.',
    access: 'ADMIN',
    bucket: 'sensitive_writes',
    params: publicKeyPath,
    response: deletedOf(idOf('pbk')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
