/** The weight of a request. It may depend on the parameters. */
export type Weight = number | ((params: URLSearchParams) => number);

/** The weight with the parameter `symbol`, and without it, for all markets. */
export const bySymbol =
  (weightForOne: number, weightForAll: number): Weight =>
  (params) =>
    params.has('symbol') ? weightForOne : weightForAll;

/** The weight of the first step that `limit` does not exceed, or the last one. */
export const byLimit =
  (fallback: number, steps: readonly (readonly [most: number, weight: number])[]): Weight =>
  (params) => {
    const limit = Number(params.get('limit') ?? fallback);
    return (steps.find(([most]) => limit <= most) ?? steps.at(-1))?.[1] ?? 1;
  };
