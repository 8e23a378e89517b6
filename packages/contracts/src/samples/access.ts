import { accessOperations as operations } from '../access.js';
import { sample } from './sample.js';

export const accessSamples = [
  sample(operations.cliChallenge, {
    title: 'Draw a challenge for your key pair',
    as: 'challenge',
    query: { pubkey: '$key_pair.pubkey' },
  }),
  sample(operations.cliIdentity, {
    title: 'Open an account for the key pair by its signature over the challenge',
    as: 'identity',
    body: {
      challenge: '$challenge.challenge',
      pubkey: '$key_pair.pubkey',
      signature: '$key_pair.signature',
      label: 'laptop',
    },
  }),
  sample(operations.me, { title: 'Whose credential is this?' }),
  sample(operations.updateMe, {
    title: 'Give the account an e-mail address',
    body: { email: 'trader@example.com' },
  }),
  sample(operations.verifyEmail, {
    title: 'Open the link that was sent to it',
    query: { code: '$mail.code' },
  }),
  sample(operations.cliChallenge, {
    title: 'Draw a challenge for another key pair',
    as: 'further_challenge',
  }),
  sample(operations.cliIdentity, {
    title: 'Link another key pair to the account, signed in with the first',
    as: 'further_identity',
    body: {
      challenge: '$further_challenge.challenge',
      pubkey: '$further_key_pair.pubkey',
      signature: '$further_key_pair.signature',
      label: 'server',
    },
  }),
  sample(operations.listPublicKeys, { title: 'List the key pairs of the account' }),
  sample(operations.revokePublicKey, {
    title: 'Revoke a key pair',
    params: { id: '$further_identity.id' },
  }),
  sample(operations.createApiKey, {
    title: 'Make a key for a bot that trades from one network',
    as: 'bot_key',
    body: { name: 'bot', permissions: ['READ', 'TRADE'], ip_allowlist: ['203.0.113.0/24'] },
  }),
  sample(operations.listApiKeys, { title: 'List the keys, newest first', query: { limit: '10' } }),
  sample(operations.rotateApiKey, {
    title: 'Give a key a new value; the old one ends at once',
    params: { id: '$bot_key.id' },
  }),
  sample(operations.revokeApiKey, { title: 'Revoke a key', params: { id: '$bot_key.id' } }),
];
