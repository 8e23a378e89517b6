/** Root fields whose published name, type or description does not follow from their operation. See `root-fields.ts` for the rules. */

export interface RootFieldOverride {
  readonly name?: string;
  /** For a POST that only reads, or a GET that changes something. */
  readonly type?: 'Query' | 'Mutation';
  /** For a summary that mentions query parameters as REST writes them. */
  readonly description?: string;
}

/** GraphQL names of resources with another name in operation ids. */
export const RESOURCE_NAMES: Readonly<Record<string, string>> = { exchanges: 'exchangeAccounts' };

/** Overrides by operation id. `REST_ONLY`: GraphQL has no field. */
export const ROOT_FIELD_OVERRIDES: Readonly<Record<string, RootFieldOverride | 'REST_ONLY'>> = {
  'apiKeys.list': { description: 'Lists your API keys. Set `includeRevoked` to include revoked keys.' },
  'auth.cliChallenge': { name: 'cliChallenge' },
  'auth.cliIdentity': { name: 'linkPublicKey' },
  'auth.verifyEmail': { name: 'verifyEmail', type: 'Mutation' },
  'copiers.simulate': { type: 'Query' },
  'deadLetters.retryMany': { name: 'retryDeadLetters' },
  'emergencyStop.run': { name: 'emergencyStop' },
  // Its events are also read through `events`. Subscriptions cover only market activity.
  'events.stream': 'REST_ONLY',
  'exchanges.test': { name: 'testExchangeCredentials' },
  'health.detailed': { name: 'detailedHealth' },
  'notifications.readAll': { name: 'readAllNotifications' },
  'publicKeys.list': { description: 'Lists your public keys. Set `includeRevoked` to include revoked keys.' },
  'strategies.linkCopiers': { name: 'linkCopiers' },
  'strategies.list': {
    description:
      'Lists your strategies. Use `visibility: PUBLIC` for the active public strategies of all users.',
  },
  'webhooks.rotateSecret': { name: 'rotateWebhookSecret' },
};
