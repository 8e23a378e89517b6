import type { Logger } from '@trading-automation/runtime';
import type { SocketTiming } from './socket.js';

export const GRAPHQL_PATH = '/graphql';

/** Overrides for the default times of the WebSocket endpoint. */
export type SocketEndpointTiming = Partial<SocketTiming> & { readonly initWaitMs?: number };

/** The logger and the settings of the endpoints. */
export class EndpointOptions {
  constructor(
    readonly logger: Logger,
    /** True if GraphiQL is served to browsers. */
    readonly hasGraphiql: boolean,
    readonly socketTiming: SocketEndpointTiming = {},
  ) {}
}
