import { accessOperations as operations } from '../access.js';
import { browserSessionOperations as sessions } from '../browser-sessions.js';
import { sample } from './sample.js';

export const accessSamples = [
  sample(operations.cliChallenge, {
    title: 'Get a challenge for your key pair',
    as: 'challenge',
    query: { pubkey: '$key_pair.pubkey' },
  }),
  sample(operations.cliIdentity, {
    title: 'Create an account with a signed challenge',
    as: 'identity',
    body: {
      challenge: '$challenge.challenge',
      pubkey: '$key_pair.pubkey',
      signature: '$key_pair.signature',
      label: 'laptop',
    },
  }),
  sample(operations.me, { title: 'Get the account and the credential of the caller' }),
  sample(operations.updateMe, {
    title: 'Set the e-mail address of the account',
    body: { email: 'trader@example.com' },
  }),
  sample(operations.verifyEmail, {
    title: 'Verify the address with the code from the link',
    query: { code: '$mail.code' },
  }),
  sample(operations.cliChallenge, {
    title: 'Get a challenge for a second key pair',
    as: 'further_challenge',
  }),
  sample(operations.cliIdentity, {
    title: 'Link a second key pair to the same account',
    as: 'further_identity',
    body: {
      challenge: '$further_challenge.challenge',
      pubkey: '$further_key_pair.pubkey',
      signature: '$further_key_pair.signature',
      label: 'server',
    },
  }),
  sample(operations.listPublicKeys, { title: 'List the public keys of the account' }),
  sample(operations.revokePublicKey, {
    title: 'Revoke a public key',
    params: { id: '$further_identity.id' },
  }),
  sample(operations.cliChallenge, {
    title: 'Get a challenge for a browser session',
    as: 'session_challenge',
  }),
  sample(sessions.create, {
    title: 'Open a browser session with the permissions of a credential',
    as: 'browser_session',
    body: {
      challenge: '$session_challenge.challenge',
      pubkey: '$session_key_pair.pubkey',
      signature: '$session_key_pair.signature',
      client_name: 'dashboard',
    },
  }),
  sample(operations.cliChallenge, { title: 'Get a challenge for a sign-in by code', as: 'device_challenge' }),
  sample(sessions.start, {
    title: 'Start a sign-in by code',
    as: 'device',
    body: {
      challenge: '$device_challenge.challenge',
      pubkey: '$device_key_pair.pubkey',
      signature: '$device_key_pair.signature',
      client_name: 'dashboard',
      permissions: ['READ', 'TRADE'],
    },
  }),
  sample(sessions.get, {
    title: 'Check the sign-in that shows a code',
    params: { user_code: '$device.user_code' },
  }),
  sample(sessions.approve, {
    title: 'Approve a sign-in by code, to read only',
    body: { user_code: '$device.user_code', permissions: ['READ'] },
  }),
  sample(sessions.token, {
    title: 'Get the session of an approved sign-in',
    body: { device_code: '$device.device_code' },
  }),
  sample(operations.cliChallenge, {
    title: 'Get a challenge for a sign-in that is refused',
    as: 'refused_challenge',
  }),
  sample(sessions.start, {
    title: 'Start another sign-in by code',
    as: 'refused_device',
    body: {
      challenge: '$refused_challenge.challenge',
      pubkey: '$refused_key_pair.pubkey',
      signature: '$refused_key_pair.signature',
      client_name: 'unknown',
    },
  }),
  sample(sessions.deny, {
    title: 'Refuse a sign-in by code',
    body: { user_code: '$refused_device.user_code' },
  }),
  sample(sessions.revoke, { title: 'Sign a browser session out', params: { id: '$browser_session.id' } }),
  sample(sessions.revokeAll, { title: 'Sign all browser sessions out' }),
  sample(operations.createApiKey, {
    title: 'Create an API key for a bot that trades from one network',
    as: 'bot_key',
    body: { name: 'bot', permissions: ['READ', 'TRADE'], ip_allowlist: ['203.0.113.0/24'] },
  }),
  sample(operations.listApiKeys, { title: 'List the API keys, newest first', query: { limit: '10' } }),
  sample(operations.rotateApiKey, {
    title: 'Replace the value of an API key',
    params: { id: '$bot_key.id' },
  }),
  sample(operations.revokeApiKey, { title: 'Revoke an API key', params: { id: '$bot_key.id' } }),
];
