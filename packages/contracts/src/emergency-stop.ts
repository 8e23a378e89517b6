import { z } from 'zod';
import { copier, openLot } from './copiers.js';
import { defineOperation } from './operation.js';
import { trade } from './trades.js';

export const emergencyStopRequest = z
  .strictObject({
    close_positions: z
      .boolean()
      .default(false)
      .describe('Whether to close all positions in perpetuals, too, with reduce-only market orders.'),
  })
  .meta({ id: 'EmergencyStopRequest' });
export type EmergencyStopRequest = z.output<typeof emergencyStopRequest>;

export const emergencyStop = z
  .object({
    paused_copiers: z
      .array(copier)
      .describe('Copiers that this call paused. Their positions stay open and are not closed automatically.'),
    open_lots: z
      .array(openLot)
      .describe('Your open lots by pair and side. `close_positions` closes those of perpetuals alone.'),
    closing: z
      .array(trade)
      .describe(
        'The orders that close your positions, if you asked for it. A position in a market that the exchange does not trade at the moment, or whose account is not active, has no such order.',
      ),
    cancelled: z
      .array(trade)
      .describe('Trades that were open and are now cancelled. Filled amounts stay filled.'),
    ended_otherwise: z
      .array(trade)
      .describe('Trades that were filled before they could be cancelled, or that failed.'),
    still_open: z
      .array(trade)
      .describe(
        'Trades that are still open. With `sub_status` PENDING_CANCEL, the exchange has not confirmed the cancellation yet. The cancellation continues in the background; call again to see its progress. Orders of an inactive account are cancelled when the account becomes active again. Trades placed after the stop are listed but not cancelled.',
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
      'Pauses every copier and cancels every open order placed before the call. With `close_positions`, it also closes all positions in perpetuals. Waits a few seconds for the exchanges, then lists what is still open.',
    access: 'TRADE',
    isRemote: true,
    body: emergencyStopRequest,
    bodyOptional: true,
    response: emergencyStop,
    status: 200,
    errors: [],
  }),
} as const;
