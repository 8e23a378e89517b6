export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
