import { z } from 'zod';

/** Returns the schema of an environment variable whose text is JSON that is valid for `schema`. */
export function jsonSetting<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'expected JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
}
