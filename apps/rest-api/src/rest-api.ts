import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { startHeartbeat } from '@trading-automation/core';
import { EmailVerificationService, pickEngine, RateLimiter } from '@trading-automation/core/access';
import { openApiInfrastructure } from '@trading-automation/core/api';
import { SignInLinksService } from '@trading-automation/core/sign-in';
import { WithdrawalAddressesService } from '@trading-automation/core/withdrawals';
import { type Logger, nestLogger, type RunningProcess } from '@trading-automation/runtime';
import { createAdapter } from '@trading-automation/runtime/http';
import { AppModule } from './app.module.js';
import type { Config } from './config.js';
import { emailVerificationPage } from './pages/email-verification-page.js';
import { serveLinkPages } from './pages/link-pages.js';
import { passwordResetPage, registrationPage } from './pages/password-pages.js';
import { withdrawalAddressPage } from './pages/withdrawal-address-page.js';
import { serveReference } from './reference/serve-reference.js';

export interface RestApi extends RunningProcess {
  readonly url: string;
}

/** Starts the API. `stop` completes the requests in flight, then closes the infrastructure. */
export async function startRestApi(config: Config, version: string, logger: Logger): Promise<RestApi> {
  const { engine, passedOver } = pickEngine();
  logger.info(
    { event: 'signature_engine.selected', engine: engine.name, passed_over: passedOver },
    'Selected the signature engine.',
  );
  const infrastructure = await openApiInfrastructure({
    applicationName: 'rest-api',
    world: config.WORLD,
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    sealingKeys: { exchange: config.EXCHANGE_SEALING_KEY, webhook: config.WEBHOOK_SEALING_KEY },
    isLoopbackAllowed: config.WEBHOOK_ALLOW_LOOPBACK,
    onConnectionLost: (to, error) => {
      if (to === 'redis')
        logger.warn(
          { event: 'redis.connection_lost', err: error },
          'The connection to Redis is lost; reconnecting.',
        );
      else
        logger.warn(
          { event: 'listener.connection_lost', err: error },
          'The notification connection to Postgres is lost; reconnecting.',
        );
    },
    onNoncesUnknown: (error) =>
      logger.warn(
        { event: 'nonces.unknown', err: error },
        'Could not compare the nonces in Redis with Postgres; signed requests may be refused.',
      ),
    onRequestsLost: (count, error) =>
      logger.warn(
        { event: 'request_log.lost', requests: count, err: error },
        'Requests are missing in the request log.',
      ),
  });
  const { platform, redis, nonces, secrets, requestLog } = infrastructure;
  let listenUrl = '';
  const publicUrl = () => config.PUBLIC_URL ?? listenUrl;
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with({ config, version, platform, redis, nonces, engine, secrets, publicUrl, logger }),
    createAdapter({
      trustedProxies: config.TRUSTED_PROXIES,
      corsOrigins: config.CORS_ORIGINS,
      recordRequest: requestLog.record,
    }),
    { bodyParser: false, logger: nestLogger(logger), abortOnError: false },
  );
  const limiter = app.get(RateLimiter, { strict: false });
  serveReference(app.getHttpAdapter().getInstance(), limiter.limitsFor(undefined));
  const links = app.get(SignInLinksService, { strict: false });
  serveLinkPages(app.getHttpAdapter().getInstance(), limiter.limitsFor(undefined), [
    withdrawalAddressPage(app.get(WithdrawalAddressesService, { strict: false })),
    emailVerificationPage(app.get(EmailVerificationService, { strict: false })),
    registrationPage(links),
    passwordResetPage(links),
  ]);
  await app.listen(config.PORT, config.HOST);
  listenUrl = await app.getUrl();
  const endHeartbeat = startHeartbeat(platform, 'rest-api');
  return {
    url: listenUrl,
    stop: async () => {
      await app.close();
      endHeartbeat();
      await infrastructure.close();
    },
  };
}
