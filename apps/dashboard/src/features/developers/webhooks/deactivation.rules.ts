/** `DEACTIVATION_FAILURES` of packages/core/src/webhooks/delivery.rules.ts. The API does not return it. */
export const DEACTIVATION_FAILURES = 10;

/** The one wording of the rule, for every place that mentions it. */
export const DEACTIVATION_RULE = `The service deactivates a webhook after ${DEACTIVATION_FAILURES} failed attempts in a row, if at least one of them was the last attempt of a delivery. Test events do not count.`;
