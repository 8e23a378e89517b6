/**
 * A preload that gives a process a wrong wall clock. The wrong clock differs from the machine's by `CLOCK_SHIFT_MS`.
 * `CLOCK_STEP_AFTER_MS` after the start, it changes by another `CLOCK_STEP_MS`. Monotonic time (`performance.now`,
 * timers) does not change, as when a time server steps a machine's clock.
 */
const RealDate = Date;
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const stepMs = Number(process.env.CLOCK_STEP_MS ?? 0);
const stepAtMs = performance.now() + Number(process.env.CLOCK_STEP_AFTER_MS ?? 0);

function wrongNow() {
  return RealDate.now() + shiftMs + (performance.now() >= stepAtMs ? stepMs : 0);
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [wrongNow()] : args, newTarget),
  apply: () => new RealDate(wrongNow()).toString(),
  get: (target, name) => (name === 'now' ? wrongNow : Reflect.get(target, name)),
});
