/** Sends GraphQL requests of the explorer to this dashboard's server, which signs them. */

export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: unknown;
}

/** Returns the response as it is, errors included, because the explorer shows it. */
export async function fetchGraphql({ query, operationName, variables }: GraphqlRequest): Promise<unknown> {
  const response = await fetch('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query, operationName: operationName ?? undefined, variables }),
  });
  return response.json();
}
