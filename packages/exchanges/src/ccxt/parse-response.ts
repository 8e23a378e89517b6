/** Reading what an exchange says: nothing of it is relied on before it has the expected form. */
import { readDecimal } from '@trading-automation/contracts';
import { z } from 'zod';
import { MalformedResponse } from './failures.js';

/** @throws {MalformedResponse} where an answer hasn't the expected form */
export function parseResponse<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new MalformedResponse(
    `unreadable: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
  );
}

/** A number of an answer, in canonical form. */
export const exactDecimal = z.string().transform((text, context) => {
  const read = readDecimal(text);
  if ('value' in read) return read.value;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});
