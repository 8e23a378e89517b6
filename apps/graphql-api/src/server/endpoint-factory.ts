import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { RateBucket } from '@trading-automation/contracts';
import { Commands, Platform } from '@trading-automation/core';
import { Authentication, CredentialWatch, RateLimiter } from '@trading-automation/core/access';
import { StreamLeases } from '@trading-automation/core/events';
import { DeprecatedUse, Sessions } from '@trading-automation/core/sign-in';
import type { Logger } from '@trading-automation/runtime';
import type { GraphQLSchema } from 'graphql';
import { connectionResolvers, PAGE_INFO_RESOLVERS } from '../graphql/connections.js';
import type { RequestContext } from '../graphql/context.js';
import { OPEN_MUTATIONS } from '../graphql/deprecated-mutation.js';
import { LoaderFactory } from '../graphql/loaders.js';
import { OPERATION_FIELDS } from '../graphql/operation.js';
import { Callers } from './callers.js';
import { Documents } from './documents.js';
import type { AskedOperation, Edge } from './edge.js';
import { Endpoints } from './endpoints.js';
import { HttpEndpoint } from './http-endpoint.js';
import { serveJwks } from './jwks-endpoint.js';
import { PersistedQueries } from './persisted-queries.js';
import { SocketEndpoint, type SocketParts } from './socket-endpoint.js';

/** Most sockets that one credential may have open at once. */
const SOCKETS_MAX = 5;

export class EndpointOptions {
  constructor(
    readonly logger: Logger,
    /** The caller's address, as a trusted proxy says it. */
    readonly addressOf: (request: IncomingMessage) => string,
    readonly hasGraphiql: boolean,
    readonly socketTiming: SocketParts['timing'] = {},
  ) {}
}

@Injectable()
export class EndpointFactory implements OnModuleDestroy {
  private readonly watch: CredentialWatch;

  constructor(
    @Inject(EndpointOptions) private readonly options: EndpointOptions,
    @Inject(Platform) private readonly platform: Platform,
    @Inject(Authentication) private readonly authentication: Authentication,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(RateLimiter) private readonly limiter: RateLimiter,
    @Inject(Commands) private readonly commands: Commands,
    @Inject(LoaderFactory) private readonly loaders: LoaderFactory,
    @Inject(DeprecatedUse) private readonly deprecatedUse: DeprecatedUse,
  ) {
    this.watch = new CredentialWatch(platform);
  }

  make(schema: GraphQLSchema): Endpoints {
    const { addressOf, hasGraphiql, logger, socketTiming } = this.options;
    const edge: Edge = {
      schema,
      documents: new Documents(schema),
      persisted: new PersistedQueries(),
      callers: new Callers(this.authentication, this.sessions),
      publicFields: publicFields(),
      limitsOf: this.limiter.of(undefined),
      hasGraphiql,
      contextOf: (operation) => this.contextOf(operation),
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

  private contextOf({ actor, incoming, requestId, idempotency }: AskedOperation): RequestContext {
    return {
      actor,
      incoming,
      requestId,
      idempotency,
      limitsOf: (bucket: RateBucket | undefined) => this.limiter.of(bucket)(incoming.address),
      commands: this.commands,
      noteDeprecated: (mutation) => this.deprecatedUse.note(mutation),
      loaders: this.loaders.of(actor),
      isReplayed: false,
    };
  }
}

/** The resolvers of every connection in the schema. */
export function connectionResolversOf(schemaText: string): object {
  const items = [...schemaText.matchAll(/^type (\w+)Connection /gm)].map(([, item]) => item!);
  return Object.assign({}, PAGE_INFO_RESOLVERS, ...items.map(connectionResolvers));
}

function publicFields(): ReadonlySet<string> {
  const fields = [...OPERATION_FIELDS].filter(
    ([, { access }]) => access === 'PUBLIC' || access === 'CHALLENGE',
  );
  return new Set([...fields.map(([field]) => field.slice(field.indexOf('.') + 1)), ...OPEN_MUTATIONS]);
}
