/** Provides the services of the API that the owner of a webhook uses, in the test environment of a dispatcher. */

import { createHash } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { encodeId } from '@trading-automation/contracts';
import { OperationsModule, PlatformModule } from '@trading-automation/core';
import {
  DeadLettersService,
  WebhookSecrets,
  WebhooksModule,
  WebhooksService,
} from '@trading-automation/core/webhooks';
import { newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { type TestEnvironment, type WebhookFixture } from './test-environment.js';

@Module({})
class OwnerModule {}

/** Creates the services as an API process does, on the database of the dispatcher. */
export async function openOwnerApi(environment: TestEnvironment) {
  const secrets: DynamicModule = {
    module: OwnerModule,
    global: true,
    providers: [{ provide: WebhookSecrets, useValue: new WebhookSecrets(environment.sealer, true) }],
    exports: [WebhookSecrets],
  };
  const serverKeys = [createHash('sha256').update('server key').digest()] as const;
  const api = await NestFactory.createApplicationContext(
    {
      module: OwnerModule,
      imports: [
        PlatformModule.with(environment.platform),
        OperationsModule.with(environment.platform, serverKeys),
        secrets,
        WebhooksModule,
      ],
    },
    { logger: false, abortOnError: false },
  );
  return {
    webhooks: api.get(WebhooksService),
    deadLetters: api.get(DeadLettersService),
    close: () => api.close(),
  };
}
export type OwnerApi = Awaited<ReturnType<typeof openOwnerApi>>;

/** Returns the webhook's user as an actor with the ADMIN permission. */
export const actorOf = ({ userId }: Pick<WebhookFixture, 'userId'>) => ({
  userId,
  credential: { kind: 'api_key', id: newUuid(), permissions: ['ADMIN'] } as const,
});

/** Waits until the webhook has a pending dead letter. Returns the id of the newest one. */
export const pendingDeadLetterId = (environment: TestEnvironment, { id }: WebhookFixture): Promise<string> =>
  eventually(async () => {
    const [row] = await environment.query(
      "SELECT id FROM webhook_dead_letters WHERE webhook_id = $1 AND status = 'PENDING' ORDER BY id DESC LIMIT 1",
      id,
    );
    return row === undefined ? undefined : encodeId('dlq', String(row.id));
  });
