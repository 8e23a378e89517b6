import { Controller, Inject } from '@nestjs/common';
import { webhookOperations } from '@trading-automation/contracts';
import { WebhooksService } from '@trading-automation/core/webhooks';
import { type Call, Operation } from '../http/operation.js';

const operations = webhookOperations;

@Controller()
export class WebhooksController {
  constructor(@Inject(WebhooksService) private readonly webhooks: WebhooksService) {}

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

  @Operation(operations.delete)
  delete(call: Call<typeof operations.delete>) {
    return this.webhooks.delete(call.actor, call.params.id);
  }

  @Operation(operations.deliveries)
  deliveries(call: Call<typeof operations.deliveries>) {
    return this.webhooks.deliveries(call.actor, call.params.id, call.query);
  }

  @Operation(operations.test)
  test(call: Call<typeof operations.test>) {
    return this.webhooks.test(call.actor, call.params.id);
  }
}
