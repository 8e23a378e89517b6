/** Defines the root fields that deviate from the rules in `root-fields.ts` in their name, type or description. */

export interface RootFieldOverride {
  readonly name?: string;
  /** Set if a POST only reads, or a GET changes something. */
  readonly type?: 'Query' | 'Mutation';
  /** Set if the summary mentions query parameters by their REST names. */
  readonly description?: string;
}

/** GraphQL names of resources that have another name in operation ids. */
export const RESOURCE_NAMES: Readonly<Record<string, string>> = { exchanges: 'exchangeAccounts' };

/** Overrides by operation id. `REST_ONLY` means that GraphQL has no field for the operation. */
export const ROOT_FIELD_OVERRIDES: Readonly<Record<string, RootFieldOverride | 'REST_ONLY'>> = {
  'apiKeys.list': { description: 'Lists your API keys. Set `includeRevoked` to include revoked keys.' },
  'auth.cliChallenge': { name: 'cliChallenge' },
  'auth.cliIdentity': { name: 'linkPublicKey' },
  'auth.verifyEmail': { name: 'verifyEmail' },
  'browserSessions.revokeAll': { name: 'revokeAllBrowserSessions' },
  'copiers.simulate': { type: 'Query' },
  'deadLetters.retryMany': { name: 'retryDeadLetters' },
  // The names say what happens. `createDeviceAuthorization` would read as an approval.
  'deviceAuthorizations.create': { name: 'startDeviceAuthorization' },
  'deviceAuthorizations.token': { name: 'redeemDeviceCode' },
  'emergencyStop.run': { name: 'emergencyStop' },
  // GraphQL clients read the same events through `events`. Subscriptions cover only market activity.
  'events.stream': 'REST_ONLY',
  'exchanges.test': { name: 'testExchangeCredentials' },
  'health.detailed': { name: 'detailedHealth' },
  'notifications.readAll': { name: 'readAllNotifications' },
  'positions.setLeverage': { name: 'setLeverage' },
  'publicKeys.list': { description: 'Lists your public keys. Set `includeRevoked` to include revoked keys.' },
  'strategies.linkCopiers': { name: 'linkCopiers' },
  'strategies.list': {
    description:
      'Lists your strategies. Use `visibility: PUBLIC` for the active public strategies of all users.',
  },
  'webhooks.rotateSecret': { name: 'rotateWebhookSecret' },
};
