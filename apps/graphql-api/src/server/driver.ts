/** Nest driver that creates the endpoints from the executable schema and serves them on Nest's server. */

import { AbstractGraphQLDriver, type GqlModuleOptions } from '@nestjs/graphql';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Endpoints } from './endpoints.js';

export interface DriverOptions extends GqlModuleOptions {
  /** Creates the endpoints from the executable schema. */
  readonly createEndpoints: (schema: GraphQLSchema) => Endpoints;
}

export class GraphqlDriver extends AbstractGraphQLDriver<DriverOptions> {
  private endpoints: Endpoints | undefined;

  async start({ schema, createEndpoints }: DriverOptions): Promise<void> {
    const { httpAdapter } = this.httpAdapterHost;
    this.endpoints = createEndpoints(schema!);
    this.endpoints.serve(httpAdapter.getInstance<FastifyInstance>(), httpAdapter.getHttpServer());
  }

  async stop(): Promise<void> {
    await this.endpoints?.stop();
  }
}
