/** Whether the figures of a position are older than they should be. */
export interface ReadPosition {
  readonly updated_at: string;
  readonly margin_ratio?: string | undefined;
  readonly is_supported: boolean;
}

/** The product reads a position about every 30 s. Two readings may fail. */
const OLD_MS = 90_000;
/** While the margin is ample, its positions are read every 15 minutes, and estimated from the mark price in between. */
const AMPLE_FROM = 2;
const OLD_IF_AMPLE_MS = 15 * 60_000 + OLD_MS;

/** Positions of an account that is not active are not read at all. */
export function isReadingOld(
  { updated_at, margin_ratio, is_supported }: ReadPosition,
  isAccountActive: boolean,
  nowMs: number,
): boolean {
  if (!isAccountActive) return true;
  const isEstimated = is_supported && margin_ratio !== undefined && Number(margin_ratio) >= AMPLE_FROM;
  return nowMs - Date.parse(updated_at) > (isEstimated ? OLD_IF_AMPLE_MS : OLD_MS);
}
