import { z } from 'zod';
import { copier, openLot } from './copiers.js';
import { defineOperation } from './operation.js';
import { trade } from './trades.js';

export const emergencyStop = z
  .object({
    paused_copiers: z
      .array(copier)
      .describe('Copiers that this call paused. Their positions stay open, and nobody closes them for you.'),
    open_lots: z
      .array(openLot)
      .describe('All that is open of you, by pair and side; nobody closes it for you.'),
    cancelled: z
      .array(trade)
      .describe('Trades that were open and are cancelled; what was filled stays filled.'),
    ended_otherwise: z
      .array(trade)
      .describe('Trades that were open and were filled before they could be cancelled, or failed.'),
    still_open: z
      .array(trade)
      .describe(
        'What is open at this moment. The exchange has not confirmed its cancellation yet (`sub_status` PENDING_CANCEL): it goes on without you, and a further call tells how far it is. An order of an account that is not active waits until the account is. A trade that was placed after the stop is listed and not cancelled.',
      ),
  })
  .meta({ id: 'EmergencyStop' });
export type EmergencyStop = z.output<typeof emergencyStop>;

export const emergencyStopOperations = {
  run: defineOperation({
    id: 'emergencyStop.run',
    method: 'POST',
    path: '/v1/emergency-stop',
    summary:
      'Pauses every copier and cancels every open order that was placed before the call; waits a few seconds for the exchanges, and lists what stays open.',
    access: 'TRADE',
    response: emergencyStop,
    status: 200,
    errors: [],
  }),
} as const;
