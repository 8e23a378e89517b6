/** What both endpoints, HTTP and WebSocket, stand on. */
import type { Actor } from '@trading-automation/core';
import type { IncomingRequest, RequestLimits } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../graphql/context.js';
import type { Callers } from './callers.js';
import type { Documents } from './documents.js';
import type { PersistedQueries } from './persisted-queries.js';

export const GRAPHQL_PATH = '/graphql';

export interface Edge {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly persisted: PersistedQueries;
  readonly callers: Callers;
  /** Root fields that may be asked for without credentials. */
  readonly publicFields: ReadonlySet<string>;
  /** The general limits of a request from an address. */
  readonly limitsOf: (address: string) => RequestLimits;
  readonly contextOf: (operation: AskedOperation) => RequestContext;
  /** Whether browsers are served GraphiQL. */
  readonly hasGraphiql: boolean;
  readonly logger: Logger;
}

/** One operation, and who asks for it. */
export interface AskedOperation {
  readonly actor: Actor | null;
  readonly incoming: IncomingRequest;
  readonly requestId: string;
  readonly idempotency?: RequestContext['idempotency'];
}
