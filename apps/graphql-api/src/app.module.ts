import { readFileSync } from 'node:fs';
import { type DynamicModule, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { HealthService, OperationsModule, Platform, PlatformModule } from '@trading-automation/core';
import {
  AccessModule,
  type AccessOptions,
  createRateLimitStore,
  RateLimiter,
} from '@trading-automation/core/access';
import { type ApiInfrastructure, apiFeatures, BuildInfo, USE_CASES } from '@trading-automation/core/api';
import { BookStreams } from '@trading-automation/core/market-data';
import { SignInModule } from '@trading-automation/core/sign-in';
import { SignalStreamsModule } from '@trading-automation/core/strategies';
import { withdrawalSettingsOf } from '@trading-automation/core/withdrawals';
import { addressReader } from '@trading-automation/runtime/http';
import type { Config } from './config.js';
import { LoaderFactory } from './graphql/loaders.js';
import { NodeTypes } from './graphql/node-types.js';
import { missingRootResolvers } from './graphql/root-resolvers.js';
import { SCALARS } from './graphql/scalars.js';
import { ProviderIdentities } from './providers/provider-identities.js';
import { AccessResolver } from './resolvers/access.resolver.js';
import { CopierFieldsResolver, DecisionFieldsResolver } from './resolvers/copiers.resolver.js';
import { LotFieldsResolver } from './resolvers/lots.resolver.js';
import { NodeResolver } from './resolvers/node.resolver.js';
import { PasskeysResolver } from './resolvers/passkeys.resolver.js';
import { PositionFieldsResolver } from './resolvers/positions.resolver.js';
import { RealtimeResolver } from './resolvers/realtime.resolver.js';
import { RewardFieldsResolver } from './resolvers/rewards.resolver.js';
import { SessionsResolver } from './resolvers/sessions.resolver.js';
import { SignInResolver } from './resolvers/sign-in.resolver.js';
import { StrategyFieldsResolver } from './resolvers/strategies.resolver.js';
import { TradeFieldsResolver } from './resolvers/trades.resolver.js';
import { type DriverOptions, GraphqlDriver } from './server/driver.js';
import { connectionResolversOf, EndpointFactory } from './server/endpoint-factory.js';
import { EndpointOptions } from './server/endpoint-options.js';
import { RequestAuthenticator } from './server/request-authenticator.js';
import { RequestContexts } from './server/request-contexts.js';
import { SocketCallers } from './server/socket-callers.js';

export interface AppModuleOptions {
  readonly config: Config;
  readonly version: string;
  readonly infrastructure: ApiInfrastructure;
  readonly engine: AccessOptions['engine'];
  /** Returns the origin at which clients reach this API. */
  readonly publicUrl: () => string;
  readonly books: BookStreams;
  readonly endpoints: EndpointOptions;
}

/** The committed schema, at the same relative path from the source and from the build output. */
const SCHEMA = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');

const RESOLVERS = [
  AccessResolver,
  CopierFieldsResolver,
  DecisionFieldsResolver,
  LotFieldsResolver,
  NodeResolver,
  PositionFieldsResolver,
  RealtimeResolver,
  RewardFieldsResolver,
  SessionsResolver,
  SignInResolver,
  PasskeysResolver,
  StrategyFieldsResolver,
  TradeFieldsResolver,
];

@Module({})
export class AppModule {
  static with(options: AppModuleOptions): DynamicModule {
    const { config, version, infrastructure, engine, publicUrl, books } = options;
    const { platform, redis, nonces, secrets } = infrastructure;
    const access = AccessModule.with({
      engine,
      isRegistrationOpen: config.OPEN_REGISTRATION,
      publicUrl: () => config.REST_PUBLIC_URL ?? publicUrl(),
      rateLimiter: new RateLimiter(config.RATE_LIMITS, createRateLimitStore(redis, nonces)),
    });
    const signIn = SignInModule.with({
      access,
      serverKeys: config.SERVER_KEYS,
      issuer: publicUrl,
      isRegistrationOpen: config.OPEN_REGISTRATION,
      publicUrl: () => config.REST_PUBLIC_URL ?? publicUrl(),
      passkeys: config.PASSKEYS,
    });
    const features = apiFeatures({
      engine,
      secrets,
      redis,
      withdrawals: withdrawalSettingsOf(config),
      publicUrl: () => config.REST_PUBLIC_URL ?? publicUrl(),
      streamsPerUser: config.STREAMS_PER_USER,
    });
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(platform),
        OperationsModule.with(platform, config.SERVER_KEYS),
        access,
        signIn,
        ...features,
        SignalStreamsModule,
        GraphQLModule.forRootAsync<DriverOptions>({
          driver: GraphqlDriver,
          imports: [endpointsModule([access, signIn, ...features], options)],
          inject: [EndpointFactory, ModuleRef],
          useFactory: (factory: EndpointFactory, container: ModuleRef) => ({
            typeDefs: SCHEMA,
            resolvers: { ...SCALARS, ...connectionResolversOf(SCHEMA) },
            // Nest calls this with the methods of the resolver classes, after the container has created every service.
            transformResolvers: (handwritten) => {
              const resolvers = [handwritten].flat();
              return [...resolvers, missingRootResolvers(resolvers, USE_CASES, container)];
            },
            createEndpoints: (schema) => factory.create(schema),
          }),
        }),
      ],
      providers: [
        ...RESOLVERS,
        { provide: BuildInfo, useValue: new BuildInfo(version, config.COMMIT, platform) },
        {
          provide: HealthService,
          useValue: new HealthService(
            platform,
            () => redis.ping(),
            () => nonces.isConfirmed,
          ),
        },
        { provide: ProviderIdentities, useValue: new ProviderIdentities(config.SIGN_IN_PROVIDERS) },
        { provide: BookStreams, useValue: books },
      ],
    };
  }
}

@Module({})
class EndpointsModule {}

/** Provides the endpoints and their dependencies; `imports` are the modules of the features that they use. */
function endpointsModule(
  imports: DynamicModule['imports'] & object,
  { config, endpoints }: AppModuleOptions,
): DynamicModule {
  return {
    module: EndpointsModule,
    imports,
    providers: [
      NodeTypes,
      LoaderFactory,
      RequestAuthenticator,
      RequestContexts,
      {
        provide: SocketCallers,
        useFactory: (platform: Platform, authenticator: RequestAuthenticator) =>
          new SocketCallers(platform, authenticator, {
            addressOf: addressReader(config.TRUSTED_PROXIES),
            socketsPerUser: config.STREAMS_PER_USER,
          }),
        inject: [Platform, RequestAuthenticator],
      },
      EndpointFactory,
      { provide: EndpointOptions, useValue: endpoints },
    ],
    exports: [EndpointFactory],
  };
}
