/** Groups the operations of the reference by tags. The tag depends on the first part of the operation id. */

const TITLES: Readonly<Record<string, string>> = {
  health: 'Service',
  version: 'Service',
  me: 'Account',
  auth: 'Key pairs',
  publicKeys: 'Key pairs',
  apiKeys: 'API keys',
  deviceAuthorizations: 'Browser sessions',
  supportedExchanges: 'Exchange accounts',
  exchanges: 'Exchange accounts',
  deadLetters: 'Dead letters',
  emergencyStop: 'Emergency stop',
  analytics: 'Trades',
};

/** Returns the tag of an operation id: "Trade pairs" for `tradePairs.list`. */
export function tagOf(operationId: string): string {
  const resource = operationId.slice(0, operationId.indexOf('.'));
  const words = resource.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return TITLES[resource] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Service: 'Liveness, health and version of the API. Public.',
  Account: 'Your account, its e-mail address and the credential in use.',
  'Key pairs': 'Public keys that sign requests instead of API keys.',
  'API keys': 'API keys with permissions, an expiry and an allow-list.',
  'Browser sessions': 'Sign-in of a browser, by code or with a credential, and its sessions.',
  'Exchange accounts': 'Your accounts at exchanges: connect, test and sync them.',
  'Trade pairs': 'The markets of the exchanges, with their ticks, steps and minimums.',
  Trades: 'Orders with their fills, and the figures computed from them.',
  Lots: 'What your orders opened, and how much of it is still open.',
  Positions: 'Your positions in perpetuals, and the leverage of your accounts.',
  'Request log': 'The requests that your credentials sent.',
  Rewards: 'Rewards in the platform token, and their claims.',
  Withdrawals: 'Withdrawals of reward tokens.',
  'Withdrawal addresses': 'The addresses to which reward tokens may be withdrawn.',
  Strategies: 'Strategies whose trades others may copy.',
  Copiers: 'Copiers, which replicate the trades of a strategy within limits.',
  Notifications: 'Messages about events, shown in the product.',
  Settings: 'A key-value store for each user.',
  'Emergency stop': 'Pauses all copiers and cancels all open orders.',
  Events: 'The record of what happened, as a list and as a stream.',
  Webhooks: 'Receivers of events on your servers.',
  'Dead letters': 'Events that no attempt delivered, which you can retry or discard.',
  'Webhook deliveries': 'The requests that the product sends to your webhooks.',
};

/** Returns the description of a tag. @throws {Error} if the tag has none */
export function describeTag(tag: string): string {
  const description = DESCRIPTIONS[tag];
  if (description === undefined)
    throw new Error(`The tag ${tag} has no description. Add one to DESCRIPTIONS in reference/tags.ts.`);
  return description;
}
