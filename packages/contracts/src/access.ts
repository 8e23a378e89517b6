import { z } from 'zod';
import { hexOf, identityProof } from './identity-proof.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, instantInput, nameText, PERMISSIONS } from './operation.js';
import { UPDATE } from './optional-fields.js';
import { WORLDS } from './service.js';

const permission = z.enum(PERMISSIONS);

export const CREDENTIAL_KINDS = ['api_key', 'public_key', 'session', 'browser_session'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

export const me = z
  .object({
    id: idOf('usr'),
    email: z
      .string()
      .optional()
      .describe(
        'The latest address that you set. Mail goes to the previous verified address until this one is verified.',
      ),
    email_verified: z.boolean().describe('True after the verification link sent to `email` was opened.'),
    created_at: instant,
    credential: z.object({
      kind: z.enum(CREDENTIAL_KINDS),
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
      .email({ error: 'Expected an e-mail address, like name@example.com.' })
      .max(EMAIL_MAX)
      .optional()
      .describe(
        'Sends a verification link to this address. Sending the same address again resends the link.',
      ),
  })
  .meta({ id: 'MePatch', ...UPDATE });
export type MePatch = z.output<typeof mePatch>;

export const apiKey = z
  .object({
    id: idOf('key'),
    name: z.string(),
    prefix: z.enum(['svc_live_', 'svc_test_']),
    last_four: z.string().describe('Last four characters of the key, to help you recognize it.'),
    permissions: z.array(permission),
    ip_allowlist: z
      .array(z.string())
      .describe('IP addresses and CIDR ranges that may use the key. An empty list allows every address.'),
    expires_at: instant.nullable().describe('Null if the key does not expire.'),
    last_used_at: instant.nullable().describe('Null before the first use.'),
    created_at: instant,
    revoked_at: instant.nullable().describe('Null unless the key is revoked.'),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof apiKey>;

export const apiKeyWithValue = apiKey
  .extend({
    key: z.string().describe('The full API key. It is returned only in this response; store it securely.'),
  })
  .meta({ id: 'ApiKeyWithValue' });
export type ApiKeyWithValue = z.output<typeof apiKeyWithValue>;

export const apiKeyCreate = z
  .strictObject({
    name: nameText({ max: 100 }).describe('A label for the key.'),
    permissions: z.array(permission).min(1).max(4).default(['READ', 'TRADE']),
    ip_allowlist: z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
          error: 'Expected an IP address or a CIDR range.',
        }),
      )
      .max(100)
      .optional()
      .describe(
        "Each entry must lie within an entry of your credential's list, if it has one. Default: your credential's list.",
      ),
    expires_at: instantInput
      .optional()
      .describe(
        'If your credential expires, the key must expire at the same time or earlier. Default: when your credential expires.',
      ),
  })
  .meta({ id: 'ApiKeyCreate' });
export type ApiKeyCreate = z.output<typeof apiKeyCreate>;

export const cliChallenge = z
  .object({ challenge: hexOf(32), expires_at: instant })
  .meta({ id: 'CliChallenge' });
export type CliChallenge = z.output<typeof cliChallenge>;

export const cliIdentityCreate = z
  .strictObject({
    ...identityProof,
    label: nameText({ max: 100 }).optional(),
  })
  .meta({ id: 'CliIdentityCreate' });
export type CliIdentityCreate = z.output<typeof cliIdentityCreate>;

export const publicKey = z
  .object({
    id: idOf('pbk'),
    user_id: idOf('usr'),
    pubkey: hexOf(33),
    label: z.string().optional(),
    created_at: instant,
    last_used_at: instant.optional(),
    revoked_at: instant.optional(),
  })
  .meta({ id: 'PublicKey' });
export type PublicKey = z.output<typeof publicKey>;

const apiKeyPath = z.object({ id: idInput('key') });
const publicKeyPath = z.object({ id: idInput('pbk') });

export const accessOperations = {
  me: defineOperation({
    id: 'me.get',
    method: 'GET',
    path: '/v1/me',
    summary: "Returns the caller's account and credential.",
    access: 'READ',
    response: me,
    status: 200,
    errors: [],
  }),
  updateMe: defineOperation({
    id: 'me.update',
    method: 'PATCH',
    path: '/v1/me',
    summary:
      'Updates your account. A new e-mail address takes effect when you confirm it on the page behind the link sent to it.',
    access: 'ADMIN',
    body: mePatch,
    response: me,
    status: 200,
    errors: [],
  }),
  verifyEmail: defineOperation({
    id: 'auth.verifyEmail',
    method: 'POST',
    path: '/v1/auth/email-verification',
    summary:
      'Verifies an e-mail address with the code from the verification link, like the button of the page behind the link. The link is valid for 24 hours.',
    access: 'PUBLIC',
    query: z.strictObject({ code: z.string().describe('The code from the verification link.') }),
    response: z.object({ email_verified: z.literal(true) }),
    status: 200,
    errors: ['not_found'],
  }),
  cliChallenge: defineOperation({
    id: 'auth.cliChallenge',
    method: 'GET',
    path: '/v1/auth/cli-challenge',
    summary: 'Returns a challenge to sign. It is single-use and expires after five minutes.',
    access: 'PUBLIC',
    query: z.strictObject({ pubkey: hexOf(33).optional() }),
    response: cliChallenge,
    status: 200,
    errors: [],
  }),
  cliIdentity: defineOperation({
    id: 'auth.cliIdentity',
    method: 'POST',
    path: '/v1/auth/cli-identity',
    summary:
      'Links a public key to the account of the credential; its private key must have signed the challenge. The credential must neither expire nor have an allow-list. Without a credential, creates an account.',
    access: 'CHALLENGE',
    bucket: 'identity_writes',
    body: cliIdentityCreate,
    response: publicKey,
    status: 201,
    errors: ['invalid_signature', 'already_exists', 'permission_denied', 'limit_reached'],
  }),
  listApiKeys: defineOperation({
    id: 'apiKeys.list',
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'Lists your API keys. Add `include=revoked` to include revoked keys.',
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
    summary:
      "Creates an API key. Its permissions, expiry and allow-list cannot exceed those of the caller's credential.",
    access: 'ADMIN',
    bucket: 'sensitive_writes',
    body: apiKeyCreate,
    response: apiKeyWithValue,
    returnsSecret: true,
    status: 201,
    errors: ['limit_reached'],
  }),
  revokeApiKey: defineOperation({
    id: 'apiKeys.revoke',
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    summary: 'Revokes an API key immediately. The last ADMIN credential cannot be revoked.',
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
    summary:
      "Replaces the value of an API key. The old value stops working immediately. The key's rights cannot exceed those of the caller's credential.",
    access: 'ADMIN',
    bucket: 'sensitive_writes',
    params: apiKeyPath,
    response: apiKeyWithValue,
    returnsSecret: true,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  listPublicKeys: defineOperation({
    id: 'publicKeys.list',
    method: 'GET',
    path: '/v1/auth/public-keys',
    summary: 'Lists your public keys. Add `include=revoked` to include revoked keys.',
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
    summary:
      'Revokes a public key immediately. The last ADMIN credential cannot be revoked. A revoked key can be linked again.',
    access: 'ADMIN',
    bucket: 'sensitive_writes',
    params: publicKeyPath,
    response: deletedOf(idOf('pbk')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
