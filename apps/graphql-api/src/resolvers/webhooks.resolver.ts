import { Resolver } from '@nestjs/graphql';
import { deadLetterOperations, webhookOperations } from '@trading-automation/contracts';
import { DeadLettersService, WebhooksService } from '@trading-automation/core/webhooks';
import { type Call, Operation } from '../graphql/operation.js';

const OF_WEBHOOK = { webhookId: 'id' };
const OF_DEAD_LETTER = { ...OF_WEBHOOK, id: 'dlq_id' };

@Resolver()
export class WebhooksResolver {
  constructor(
    private readonly hooks: WebhooksService,
    private readonly letters: DeadLettersService,
  ) {}

  @Operation(webhookOperations.list)
  webhooks(call: Call<typeof webhookOperations.list>) {
    return this.hooks.list(call.actor, call.query);
  }

  @Operation(webhookOperations.get)
  webhook(call: Call<typeof webhookOperations.get>) {
    return this.hooks.get(call.actor, call.params.id);
  }

  @Operation(webhookOperations.deliveries, { params: OF_WEBHOOK })
  webhookDeliveries(call: Call<typeof webhookOperations.deliveries>) {
    return this.hooks.deliveries(call.actor, call.params.id, call.query);
  }

  @Operation(deadLetterOperations.list, { params: OF_WEBHOOK })
  deadLetters(call: Call<typeof deadLetterOperations.list>) {
    return this.letters.list(call.actor, call.params.id, call.query);
  }

  @Operation(deadLetterOperations.stats, { params: OF_WEBHOOK })
  deadLetterStats(call: Call<typeof deadLetterOperations.stats>) {
    return this.letters.stats(call.actor, call.params.id);
  }

  @Operation(deadLetterOperations.get, { params: OF_DEAD_LETTER })
  deadLetter(call: Call<typeof deadLetterOperations.get>) {
    return this.letters.get(call.actor, call.params.id, call.params.dlq_id);
  }

  @Operation(webhookOperations.create)
  createWebhook(call: Call<typeof webhookOperations.create>) {
    return this.hooks.create(call.actor, call.body);
  }

  @Operation(webhookOperations.update)
  updateWebhook(call: Call<typeof webhookOperations.update>) {
    return this.hooks.update(call.actor, call.params.id, call.body);
  }

  @Operation(webhookOperations.delete)
  deleteWebhook(call: Call<typeof webhookOperations.delete>) {
    return this.hooks.delete(call.actor, call.params.id);
  }

  @Operation(webhookOperations.rotateSecret)
  rotateWebhookSecret(call: Call<typeof webhookOperations.rotateSecret>) {
    return this.hooks.rotateSecret(call.actor, call.params.id);
  }

  @Operation(webhookOperations.test)
  testWebhook(call: Call<typeof webhookOperations.test>) {
    return this.hooks.test(call.actor, call.params.id);
  }

  @Operation(webhookOperations.replay)
  replayWebhook(call: Call<typeof webhookOperations.replay>) {
    return this.hooks.replay(call.actor, call.params.id, call.body);
  }

  @Operation(deadLetterOperations.retry, { params: OF_DEAD_LETTER })
  retryDeadLetter(call: Call<typeof deadLetterOperations.retry>) {
    return this.letters.retry(call.actor, call.params.id, call.params.dlq_id);
  }

  @Operation(deadLetterOperations.retryMany, { params: OF_WEBHOOK })
  retryDeadLetters(call: Call<typeof deadLetterOperations.retryMany>) {
    return this.letters.retryMany(call.actor, call.params.id, call.body);
  }

  @Operation(deadLetterOperations.discard, { params: OF_DEAD_LETTER })
  discardDeadLetter(call: Call<typeof deadLetterOperations.discard>) {
    return this.letters.discard(call.actor, call.params.id, call.params.dlq_id);
  }
}
