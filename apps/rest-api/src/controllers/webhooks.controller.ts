import { Controller } from '@nestjs/common';
import { deadLetterOperations, webhookOperations } from '@trading-automation/contracts';
import { DeadLettersService, WebhooksService } from '@trading-automation/core/webhooks';
import { type Call, Operation } from '../http/operation.js';

const operations = webhookOperations;
const ofDeadLetters = deadLetterOperations;

@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deadLetters: DeadLettersService,
  ) {}

  @Operation(operations.create)
  create(call: Call<typeof operations.create>) {
    return this.webhooks.create(call.actor, call.body);
  }

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.webhooks.list(call.actor, call.query);
  }

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.webhooks.get(call.actor, call.params.id);
  }

  @Operation(operations.update)
  update(call: Call<typeof operations.update>) {
    return this.webhooks.update(call.actor, call.params.id, call.body);
  }

  @Operation(operations.delete)
  delete(call: Call<typeof operations.delete>) {
    return this.webhooks.delete(call.actor, call.params.id);
  }

  @Operation(operations.rotateSecret)
  rotateSecret(call: Call<typeof operations.rotateSecret>) {
    return this.webhooks.rotateSecret(call.actor, call.params.id);
  }

  @Operation(operations.deliveries)
  deliveries(call: Call<typeof operations.deliveries>) {
    return this.webhooks.deliveries(call.actor, call.params.id, call.query);
  }

  @Operation(operations.test)
  test(call: Call<typeof operations.test>) {
    return this.webhooks.test(call.actor, call.params.id);
  }

  @Operation(operations.replay)
  replay(call: Call<typeof operations.replay>) {
    return this.webhooks.replay(call.actor, call.params.id, call.body);
  }

  @Operation(ofDeadLetters.list)
  listDeadLetters(call: Call<typeof ofDeadLetters.list>) {
    return this.deadLetters.list(call.actor, call.params.id, call.query);
  }

  @Operation(ofDeadLetters.stats)
  countDeadLetters(call: Call<typeof ofDeadLetters.stats>) {
    return this.deadLetters.stats(call.actor, call.params.id);
  }

  @Operation(ofDeadLetters.get)
  getDeadLetter(call: Call<typeof ofDeadLetters.get>) {
    return this.deadLetters.get(call.actor, call.params.id, call.params.dlq_id);
  }

  @Operation(ofDeadLetters.retry)
  retryDeadLetter(call: Call<typeof ofDeadLetters.retry>) {
    return this.deadLetters.retry(call.actor, call.params.id, call.params.dlq_id);
  }

  @Operation(ofDeadLetters.retryMany)
  retryManyDeadLetters(call: Call<typeof ofDeadLetters.retryMany>) {
    return this.deadLetters.retryMany(call.actor, call.params.id, call.body);
  }

  @Operation(ofDeadLetters.discard)
  discardDeadLetter(call: Call<typeof ofDeadLetters.discard>) {
    return this.deadLetters.discard(call.actor, call.params.id, call.params.dlq_id);
  }
}
