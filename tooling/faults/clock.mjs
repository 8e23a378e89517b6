/**
 * Preloaded into one process, gives it a wall clock of its own: `CLOCK_SHIFT_MS` away from the machine's, and
 * `CLOCK_STEP_MS` further from `CLOCK_STEP_AFTER_MS` after its start on. Only the wall clock: what measures time that
 * passes (`performance.now`, timers) goes on, as it does where a time server steps a machine's clock.
 */
const RealDate = Date;
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const stepMs = Number(process.env.CLOCK_STEP_MS ?? 0);
const stepAtMs = performance.now() + Number(process.env.CLOCK_STEP_AFTER_MS ?? 0);

function wrongNow() {
  return RealDate.now() + shiftMs + (performance.now() >= stepAtMs ? stepMs : 0);
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [wrongNow()] : given, newTarget),
  apply: () => new RealDate(wrongNow()).toString(),
  get: (target, name) => (name === 'now' ? wrongNow : Reflect.get(target, name)),
});
