/** How the reference groups operations: by the resource in their id. */

const TITLES: Readonly<Record<string, string>> = {
  health: 'Service',
  version: 'Service',
  me: 'Account',
  auth: 'Key pairs',
  publicKeys: 'Key pairs',
  apiKeys: 'API keys',
  supportedExchanges: 'Exchange accounts',
  exchanges: 'Exchange accounts',
  deadLetters: 'Dead letters',
  emergencyStop: 'Emergency stop',
  analytics: 'Trades',
};

/** The tag of an operation's id: `tradePairs.list` is of "Trade pairs". */
export function tagOf(operationId: string): string {
  const resource = operationId.slice(0, operationId.indexOf('.'));
  const words = resource.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return TITLES[resource] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
