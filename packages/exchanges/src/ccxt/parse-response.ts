/** Validates responses of an exchange. The product uses only validated fields. */
import { readDecimal } from '@trading-automation/contracts';
import { z } from 'zod';
import { MalformedResponse } from './failures.js';

/** @throws {MalformedResponse} if the response does not have the expected form */
export function parseResponse<Schema extends z.ZodType>(schema: Schema, response: unknown): z.output<Schema> {
  const parsed = schema.safeParse(response);
  if (parsed.success) return parsed.data;
  throw new MalformedResponse(
    `invalid fields: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
  );
}

/** A decimal number of a response that is a string, converted to canonical form. */
export const exactDecimal = z.string().transform((text, context) => {
  const parsed = readDecimal(text);
  if ('value' in parsed) return parsed.value;
  context.addIssue({ code: 'custom', message: parsed.problem });
  return z.NEVER;
});

/** A decimal number of a response that is a JSON number or a string, converted to canonical form. */
export const jsonDecimal = z.union([z.string(), z.number().transform(String)]).pipe(exactDecimal);
