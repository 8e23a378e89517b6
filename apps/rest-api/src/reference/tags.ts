/** Groups the operations of the reference by tags. The tag depends on the first part of the operation id. */

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

/** Returns the tag of an operation id: "Trade pairs" for `tradePairs.list`. */
export function tagOf(operationId: string): string {
  const resource = operationId.slice(0, operationId.indexOf('.'));
  const words = resource.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return TITLES[resource] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
