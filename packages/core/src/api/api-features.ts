import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { PickedEngine } from '@trading-automation/signed-request';
import type { Redis } from 'ioredis';
import { AnalyticsModule } from '../analytics/index.js';
import { BrowserSessionsModule } from '../browser-sessions/index.js';
import { CopiersModule } from '../copiers/index.js';
import { EmergencyStopModule } from '../emergency-stop/index.js';
import { EventsModule } from '../events/index.js';
import { CredentialsSealer, ExchangeAccountsModule } from '../exchange-accounts/index.js';
import { LedgerModule } from '../ledger/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { PositionsModule } from '../positions/index.js';
import { RequestLogModule } from '../request-log/index.js';
import { RewardsModule } from '../rewards/index.js';
import { SettingsModule } from '../settings/index.js';
import { StrategiesModule } from '../strategies/index.js';
import { PairMarketDataModule, TradePairsModule } from '../trade-pairs/index.js';
import { TradesModule } from '../trades/index.js';
import { WebhookSecrets, WebhooksModule } from '../webhooks/index.js';
import { type WithdrawalSettings, WithdrawalsModule } from '../withdrawals/index.js';

/** The sealers of exchange credentials (for the trading worker) and of webhook secrets (for the webhook dispatcher). */
export interface ApiSecrets {
  readonly exchange: CredentialsSealer;
  readonly webhook: WebhookSecrets;
}

export interface ApiFeatureOptions {
  /** The library that verifies signatures. */
  readonly engine: PickedEngine['engine'];
  readonly secrets: ApiSecrets;
  /** Shares market data between the requests of all APIs. */
  readonly redis: Redis;
  readonly withdrawals: WithdrawalSettings;
  /** The origin of the REST API in links of mails, without a trailing slash. */
  readonly publicUrl: () => string;
  /** How many event streams a user may have open with all credentials together. */
  readonly streamsPerUser: number;
}

/** Returns the modules of every feature of an API, for any transport. */
export function apiFeatures({
  engine,
  secrets,
  redis,
  withdrawals,
  publicUrl,
  streamsPerUser,
}: ApiFeatureOptions): (DynamicModule | Type)[] {
  return [
    secretsModule(secrets),
    BrowserSessionsModule.with(engine),
    ExchangeAccountsModule,
    TradePairsModule,
    PairMarketDataModule.with(redis),
    TradesModule,
    PositionsModule,
    StrategiesModule,
    CopiersModule,
    AnalyticsModule,
    RewardsModule,
    WithdrawalsModule.with({ ...withdrawals, publicUrl }),
    NotificationsModule,
    SettingsModule,
    EventsModule.with({ streamsPerUser }),
    EmergencyStopModule,
    LedgerModule,
    WebhooksModule,
    RequestLogModule,
  ];
}

@Module({})
class SecretsModule {}

function secretsModule({ exchange, webhook }: ApiSecrets): DynamicModule {
  return {
    module: SecretsModule,
    global: true,
    providers: [
      { provide: CredentialsSealer, useValue: exchange },
      { provide: WebhookSecrets, useValue: webhook },
    ],
    exports: [CredentialsSealer, WebhookSecrets],
  };
}
