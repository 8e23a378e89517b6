import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { RateBucket } from '@trading-automation/contracts';
import { CommandRunner, Platform } from '@trading-automation/core';
import { Authentication, CredentialWatch, RateLimiter } from '@trading-automation/core/access';
import { StreamLeases } from '@trading-automation/core/events';
import { DeprecatedUsageService, SessionsService } from '@trading-automation/core/sign-in';
import type { Logger } from '@trading-automation/runtime';
import type { GraphQLSchema } from 'graphql';
import { connectionResolvers, PAGE_INFO_RESOLVERS } from '../graphql/connections.js';
import type { RequestContext } from '../graphql/context.js';
import { PUBLIC_MUTATIONS } from '../graphql/deprecated-mutation.js';
import { LoaderFactory } from '../graphql/loaders.js';
import { OPERATION_FIELDS } from '../graphql/operation.js';
import { DocumentCache } from './document-cache.js';
import type { EndpointContext, RequestContextInput } from './endpoint-context.js';
import { Endpoints } from './endpoints.js';
import { HttpEndpoint } from './http-endpoint.js';
import { serveJwks } from './jwks-endpoint.js';
import { PersistedQueries } from './persisted-queries.js';
import { RequestAuthenticator } from './request-authenticator.js';
import { SocketEndpoint, type SocketEndpointDependencies } from './socket-endpoint.js';

/** Maximum number of open sockets per credential. */
const SOCKETS_MAX = 5;

export class EndpointOptions {
  constructor(
    readonly logger: Logger,
    /** Returns the caller's IP address, as reported by a trusted proxy. */
    readonly addressOf: (request: IncomingMessage) => string,
    readonly hasGraphiql: boolean,
    readonly socketTiming: SocketEndpointDependencies['timing'] = {},
  ) {}
}

@Injectable()
export class EndpointFactory implements OnModuleDestroy {
  private readonly watch: CredentialWatch;

  constructor(
    private readonly options: EndpointOptions,
    private readonly platform: Platform,
    private readonly authentication: Authentication,
    private readonly sessions: SessionsService,
    private readonly limiter: RateLimiter,
    private readonly commands: CommandRunner,
    private readonly loaders: LoaderFactory,
    private readonly deprecatedUse: DeprecatedUsageService,
  ) {
    this.watch = new CredentialWatch(platform);
  }

  make(schema: GraphQLSchema): Endpoints {
    const { addressOf, hasGraphiql, logger, socketTiming } = this.options;
    const edge: EndpointContext = {
      schema,
      documents: new DocumentCache(schema),
      persistedQueries: new PersistedQueries(),
      authenticator: new RequestAuthenticator(this.authentication, this.sessions),
      publicFields: publicFields(),
      limitsOf: this.limiter.limitsFor(undefined),
      hasGraphiql,
      createContext: (operation) => this.createContext(operation),
      logger,
    };
    const leases = new StreamLeases(this.platform, { kind: 'sockets', max: SOCKETS_MAX });
    const sockets = new SocketEndpoint({ edge, watch: this.watch, leases, addressOf, timing: socketTiming });
    return new Endpoints(
      [
        (fastify) => new HttpEndpoint(edge).serve(fastify),
        (fastify) => serveJwks(fastify, this.sessions, edge.limitsOf),
      ],
      sockets,
    );
  }

  onModuleDestroy(): void {
    this.watch.stop();
  }

  private createContext({ actor, incoming, requestId, idempotency }: RequestContextInput): RequestContext {
    return {
      actor,
      incoming,
      requestId,
      idempotency,
      limitsOf: (bucket: RateBucket | undefined) => this.limiter.limitsFor(bucket)(incoming.address),
      commands: this.commands,
      recordDeprecatedUse: (mutation) => this.deprecatedUse.note(mutation),
      loaders: this.loaders.create(actor),
      isReplayed: false,
    };
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
  return new Set([...fields.map(([field]) => field.slice(field.indexOf('.') + 1)), ...PUBLIC_MUTATIONS]);
}
