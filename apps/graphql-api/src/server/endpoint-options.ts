import type { Logger } from '@trading-automation/runtime';
import type { SocketTiming } from './socket.js';

export const GRAPHQL_PATH = '/graphql';

/** Times of the WebSocket endpoint, where they differ from the defaults. */
export type SocketEndpointTiming = Partial<SocketTiming> & { readonly initWaitMs?: number };

/** The logger and the settings of the endpoints. */
export class EndpointOptions {
  constructor(
    readonly logger: Logger,
    /** True if browsers get GraphiQL. */
    readonly hasGraphiql: boolean,
    readonly socketTiming: SocketEndpointTiming = {},
  ) {}
}
