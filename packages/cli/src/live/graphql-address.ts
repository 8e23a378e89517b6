import { UsageError } from '../failures.js';
import { baseURLOf, type Settings } from '../profile/settings.js';

/**
 * Returns the GraphQL address; by default, its origin is that of the REST API.
 *
 * @throws {UsageError} if it is invalid
 */
export function graphqlAddress(settings: Settings): string {
  const address = settings.graphqlURL ?? baseURLOf(settings);
  if (!URL.canParse(address)) throw new UsageError(`${address} is not a URL.`);
  return `${new URL(address).origin}/graphql`;
}
