/** Nest's way to the two endpoints: it gives the schema with its resolvers, and the server that both are served by. */

import { AbstractGraphQLDriver, type GqlModuleOptions } from '@nestjs/graphql';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Endpoints } from './endpoints.js';

export interface DriverOptions extends GqlModuleOptions {
  /** Made once the schema is. */
  readonly endpoints: (schema: GraphQLSchema) => Endpoints;
}

export class GraphqlDriver extends AbstractGraphQLDriver<DriverOptions> {
  private endpoints: Endpoints | undefined;

  async start({ schema, endpoints }: DriverOptions): Promise<void> {
    const { httpAdapter } = this.httpAdapterHost;
    this.endpoints = endpoints(schema!);
    this.endpoints.serve(httpAdapter.getInstance<FastifyInstance>(), httpAdapter.getHttpServer());
  }

  async stop(): Promise<void> {
    await this.endpoints?.stop();
  }
}
