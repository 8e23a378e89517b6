/**
 * Which strings of the API a user writes. The lists are compared with the OpenAPI document, so that a new one is noticed: a field
 * of a request into which markup can be written, and a field of a response that can contain it.
 */

/** Fields of requests whose text is shown again: the XSS test writes each of them. */
export const WRITTEN = [
  'apiKeys.create name',
  'auth.cliIdentity label',
  'browserSessions.create client_name',
  'copiers.create limits.allowed_pairs[]',
  'copiers.create limits.blocked_pairs[]',
  'copiers.create name',
  'copiers.update limits.allowed_pairs[]',
  'copiers.update limits.blocked_pairs[]',
  'copiers.update name',
  'deviceAuthorizations.create client_name',
  'exchanges.create account_name',
  'exchanges.update account_name',
  'settings.put value',
  'strategies.create description',
  'strategies.create name',
  'strategies.update description',
  'strategies.update name',
  'webhooks.create description',
  'webhooks.create url',
  'webhooks.update description',
  'webhooks.update url',
  'withdrawalAddresses.create label',
];

/** Fields of requests that only values of a list, or secrets that no response contains, can have. */
export const NOT_SHOWN = [
  'copiers.create symbol_map.*',
  'copiers.update symbol_map.*',
  'deviceAuthorizations.approve user_code',
  'deviceAuthorizations.deny user_code',
  'deviceAuthorizations.token device_code',
  'exchanges.create credentials.api_key',
  'exchanges.create credentials.api_secret',
  'exchanges.create credentials.passphrase',
  'exchanges.create exchange',
  'exchanges.test credentials.api_key',
  'exchanges.test credentials.api_secret',
  'exchanges.test credentials.passphrase',
  'exchanges.test exchange',
  'exchanges.update credentials.api_key',
  'exchanges.update credentials.api_secret',
  'exchanges.update credentials.passphrase',
  'webhooks.create events[]',
  'webhooks.update events[]',
];

/** Fields of responses that contain a string of a user or of a receiver, by schema. */
export const SHOWN = [
  'ApiKey name',
  'BrowserSession client_name',
  'Copier name',
  'CopierLimits allowed_pairs[]',
  'CopierLimits blocked_pairs[]',
  'ApiKeyWithValue name',
  'WebhookWithSecret description',
  'WebhookWithSecret url',
  'Delivery response_body',
  'DeviceAuthorization client_name',
  'Event data.*',
  'ExchangeAccount account_name',
  'Notification body',
  'PublicKey label',
  'Setting value',
  'StoppedCopier name',
  'Strategy description',
  'Strategy name',
  'Webhook description',
  'Webhook url',
  'WithdrawalAddress label',
];

/** Fields of responses whose texts the product, an exchange or a blockchain writes: by schema, or by a name that means the same everywhere. */
export const FIXED = new Set([
  'EventCatalogue types[].description',
  'EventKind description',
  'KeyPermissions needed[]',
  'KeyPermissions notes[]',
  'KeyPermissions refused[]',
  'Notification title',
  'RequestHeader name',
  'RewardType description',
  'RewardType name',
  'SupportedExchange name',
  ...`address approved_by.id asset base client_order_id code commit credential.id currency data.id email error_message
   events[] exchange exchange_fill_id exchange_name exchange_order_id exchange_symbol failure.code failure.message
   fee.currency id inputs.* ip_allowlist[] key last_error_message last_four network next_cursor period
   profit_share.quote quote quote_aliases[][] reason request_id route rule.period sample.data.* schema.* secret settle source.id
   status_reason symbol symbol_map.* tx_hash user_code device_code value version wallet_address`.split(/\s+/),
]);

/** @typedef {Record<string, any>} Schema */

/**
 * Returns the paths of the strings of a schema that can contain markup.
 *
 * @param {Record<string, Schema>} schemas the named schemas of the document
 * @param {Schema} schema
 * @param {{ follows: boolean }} options `follows`: whether named schemas inside are read, too
 * @returns {readonly string[]}
 */
export function freeTexts(schemas, schema, { follows }) {
  /** @type {Set<string>} */
  const paths = new Set();
  /** @type {(schema: Schema | undefined, path: string, inside: readonly string[]) => void} */
  const read = (given, path, inside) => {
    if (given === undefined || typeof given !== 'object') return;
    const name = given.$ref?.split('/').at(-1);
    if (name !== undefined) {
      if (follows && !inside.includes(name)) read(schemas[name], path, [...inside, name]);
      return;
    }
    for (const part of [given.allOf, given.anyOf, given.oneOf].flat()) read(part, path, inside);
    const prefix = path === '' ? '' : `${path}.`;
    for (const [key, value] of Object.entries(given.properties ?? {})) read(value, prefix + key, inside);
    read(given.additionalProperties, `${prefix}*`, inside);
    read(given.items, `${path}[]`, inside);
    if (acceptsMarkup(given)) paths.add(path);
  };
  read(schema, '', []);
  return [...paths].filter((path) => path !== '');
}

/** @param {Schema} schema */
function acceptsMarkup(schema) {
  const isAnything = !['type', 'allOf', 'anyOf', 'oneOf', 'properties'].some((key) => key in schema);
  if (!isAnything && ![schema.type].flat().includes('string')) return false;
  if (schema.enum !== undefined || 'const' in schema || schema.format !== undefined) return false;
  return (
    schema.pattern === undefined ||
    ['<svg/onload=ran=1>', '<b>'].some((text) => new RegExp(schema.pattern).test(text))
  );
}
