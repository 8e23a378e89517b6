import { UsageError } from '../failures.js';
import { baseURLOf, type Settings } from '../profile/settings.js';

/** Address of the GraphQL API: at the origin that is set, else at the REST API's. @throws {UsageError} where it is none */
export function graphqlAddress(settings: Settings): string {
  const given = settings.graphqlURL ?? baseURLOf(settings);
  if (!URL.canParse(given)) throw new UsageError(`${given} is no address.`);
  return `${new URL(given).origin}/graphql`;
}
