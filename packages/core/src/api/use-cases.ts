/**
 * The use-case of every operation that any transport can serve.
 *
 * Each feature is listed once. A new operation of a listed group compiles only if the service has a method for it.
 * `auth.cliIdentity` and `events.stream` have no entry: their response depends on the transport, so each transport
 * has its own handler for them.
 */
import {
  accessOperations,
  analyticsOperations,
  browserSessionOperations,
  copierOperations,
  deadLetterOperations,
  emergencyStopOperations,
  eventOperations,
  exchangeAccountOperations,
  lotOperations,
  marketDataOperations,
  notificationOperations,
  positionOperations,
  requestLogOperations,
  rewardOperations,
  serviceOperations,
  settingOperations,
  simulationOperations,
  strategyOperations,
  tradeOperations,
  tradePairOperations,
  webhookOperations,
  withdrawalAddressOperations,
  withdrawalOperations,
} from '@trading-automation/contracts';
import {
  ApiKeysService,
  EmailVerificationService,
  IdentityService,
  PublicKeysService,
} from '../access/index.js';
import { AnalyticsService } from '../analytics/index.js';
import { BrowserSessionsService, DeviceAuthorizationsService } from '../browser-sessions/index.js';
import {
  CopierSimulation,
  CopiersService,
  CopierTermsService,
  StrategyChangesService,
} from '../copiers/index.js';
import { EmergencyStopService } from '../emergency-stop/index.js';
import { EventsService } from '../events/index.js';
import { ExchangeAccountsService } from '../exchange-accounts/index.js';
import { NotificationsService } from '../notifications/index.js';
import { type UseCase, useCaseOf, useCasesOf } from '../operations/index.js';
import { HealthService } from '../platform/index.js';
import { PositionsService } from '../positions/index.js';
import { RequestLogService } from '../request-log/index.js';
import { RewardsService } from '../rewards/index.js';
import { SettingsService } from '../settings/index.js';
import { StrategiesService } from '../strategies/index.js';
import { PairMarketData, TradePairsService } from '../trade-pairs/index.js';
import { LotsService, TradesService } from '../trades/index.js';
import { DeadLettersService, WebhooksService } from '../webhooks/index.js';
import { WithdrawalAddressesService, WithdrawalsService } from '../withdrawals/index.js';
import { BuildInfo } from './build-info.js';

const { me, updateMe, verifyEmail, cliChallenge } = accessOperations;
const { listApiKeys, createApiKey, revokeApiKey, rotateApiKey } = accessOperations;
const { listPublicKeys, revokePublicKey } = accessOperations;
const {
  start,
  create: openSession,
  token,
  get: deviceAuthorization,
  approve,
  deny,
  ...sessions
} = browserSessionOperations;
const { supported, ...exchangeAccounts } = exchangeAccountOperations;
const { acceptProfitShare, ...copiers } = copierOperations;
const { update: updateStrategy, delete: deleteStrategy, linkCopiers, ...strategies } = strategyOperations;
const { stream: _stream, ...events } = eventOperations;

export const USE_CASES: readonly UseCase[] = [
  useCaseOf(serviceOperations.health, HealthService, () => ({ status: 'ok' }) as const),
  ...useCasesOf({ detailed: serviceOperations.detailedHealth }, HealthService),
  ...useCasesOf({ version: serviceOperations.version }, BuildInfo),
  ...useCasesOf({ me, challenge: cliChallenge }, IdentityService),
  ...useCasesOf({ update: updateMe }, EmailVerificationService),
  useCaseOf(verifyEmail, EmailVerificationService, (emails, { query }) => emails.verify(query.code)),
  ...useCasesOf(
    { list: listApiKeys, create: createApiKey, revoke: revokeApiKey, rotate: rotateApiKey },
    ApiKeysService,
  ),
  ...useCasesOf({ list: listPublicKeys, revoke: revokePublicKey }, PublicKeysService),
  useCaseOf(start, DeviceAuthorizationsService, (authorizations, { body, address, idempotency }) =>
    authorizations.start(body, address, idempotency),
  ),
  ...useCasesOf({ get: deviceAuthorization, approve, deny, token }, DeviceAuthorizationsService),
  useCaseOf(openSession, BrowserSessionsService, (service, { actor, body, address }) =>
    service.create(actor, body, address),
  ),
  ...useCasesOf(sessions, BrowserSessionsService),
  useCaseOf(supported, ExchangeAccountsService, (accounts, { query }) => accounts.supported(query)),
  ...useCasesOf(exchangeAccounts, ExchangeAccountsService),
  ...useCasesOf(tradePairOperations, TradePairsService),
  ...useCasesOf(marketDataOperations, PairMarketData),
  ...useCasesOf(tradeOperations, TradesService),
  ...useCasesOf(lotOperations, LotsService),
  ...useCasesOf(positionOperations, PositionsService),
  ...useCasesOf(analyticsOperations, AnalyticsService),
  ...useCasesOf(strategies, StrategiesService),
  ...useCasesOf({ update: updateStrategy, delete: deleteStrategy, linkCopiers }, StrategyChangesService),
  ...useCasesOf(copiers, CopiersService),
  ...useCasesOf({ acceptProfitShare }, CopierTermsService),
  ...useCasesOf(simulationOperations, CopierSimulation),
  ...useCasesOf(emergencyStopOperations, EmergencyStopService),
  ...useCasesOf(rewardOperations, RewardsService),
  ...useCasesOf(withdrawalOperations, WithdrawalsService),
  ...useCasesOf(withdrawalAddressOperations, WithdrawalAddressesService),
  ...useCasesOf(notificationOperations, NotificationsService),
  ...useCasesOf(settingOperations, SettingsService),
  ...useCasesOf(events, EventsService),
  ...useCasesOf(webhookOperations, WebhooksService),
  ...useCasesOf(deadLetterOperations, DeadLettersService),
  ...useCasesOf(requestLogOperations, RequestLogService),
];
