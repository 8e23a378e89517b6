import { Injectable } from '@nestjs/common';
import type { GraphQLSchema } from 'graphql';
import { connectionResolvers, PAGE_INFO_RESOLVERS } from '../graphql/connections.js';
import { PUBLIC_DEPRECATED_MUTATIONS } from '../graphql/deprecated-mutation.js';
import { OPERATION_FIELDS } from '../graphql/operation.js';
import { DocumentCache } from './document-cache.js';
import { EndpointOptions } from './endpoint-options.js';
import { Endpoints } from './endpoints.js';
import { HttpEndpoint } from './http-endpoint.js';
import { serveJwks } from './jwks-endpoint.js';
import { RequestAuthenticator } from './request-authenticator.js';
import { RequestContexts } from './request-contexts.js';
import { SocketCallers } from './socket-callers.js';
import { SocketEndpoint } from './socket-endpoint.js';

@Injectable()
export class EndpointFactory {
  constructor(
    private readonly options: EndpointOptions,
    private readonly authenticator: RequestAuthenticator,
    private readonly contexts: RequestContexts,
    private readonly socketCallers: SocketCallers,
  ) {}

  create(schema: GraphQLSchema): Endpoints {
    const { authenticator, contexts } = this;
    const { hasGraphiql, logger, socketTiming } = this.options;
    const documents = new DocumentCache(schema);
    const settings = { publicFields: publicFields(), hasGraphiql };
    const http = new HttpEndpoint(documents, authenticator, contexts, logger, settings);
    return new Endpoints(
      [(fastify) => http.serve(fastify), (fastify) => serveJwks(fastify, authenticator)],
      new SocketEndpoint(documents, contexts, this.socketCallers, logger, socketTiming),
    );
  }
}

/** Returns the resolvers of every connection in the schema. */
export function connectionResolversOf(schemaText: string): object {
  const items = [...schemaText.matchAll(/^type (\w+)Connection /gm)].map(([, item]) => item!);
  return Object.assign({}, PAGE_INFO_RESOLVERS, ...items.map(connectionResolvers));
}

function publicFields(): ReadonlySet<string> {
  const fields = [...OPERATION_FIELDS].filter(
    ([, { access }]) => access === 'PUBLIC' || access === 'CHALLENGE',
  );
  return new Set([
    ...fields.map(([field]) => field.slice(field.indexOf('.') + 1)),
    ...PUBLIC_DEPRECATED_MUTATIONS,
  ]);
}
