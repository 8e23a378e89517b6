/** Dependencies that the HTTP and the WebSocket endpoint share. */
import type { Actor } from '@trading-automation/core';
import type { IncomingRequest, RequestLimits } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../graphql/context.js';
import type { DocumentCache } from './document-cache.js';
import type { PersistedQueries } from './persisted-queries.js';
import type { RequestAuthenticator } from './request-authenticator.js';

export const GRAPHQL_PATH = '/graphql';

export interface EndpointContext {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentCache;
  readonly persistedQueries: PersistedQueries;
  readonly authenticator: RequestAuthenticator;
  /** Root fields that need no credentials. */
  readonly publicFields: ReadonlySet<string>;
  /** Returns the general limits of a request from an IP address. */
  readonly limitsOf: (address: string) => RequestLimits;
  readonly createContext: (operation: RequestContextInput) => RequestContext;
  /** True if browsers get GraphiQL. */
  readonly hasGraphiql: boolean;
  readonly logger: Logger;
}

/** One operation and its caller. */
export interface RequestContextInput {
  readonly actor: Actor | null;
  readonly incoming: IncomingRequest;
  readonly requestId: string;
  readonly idempotency?: RequestContext['idempotency'];
}
