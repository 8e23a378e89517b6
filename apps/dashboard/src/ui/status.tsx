import {
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleSlash,
  CircleX,
  type LucideIcon,
  Pause,
  TriangleAlert,
} from 'lucide-react';
import { wordsOf } from '../format/words';
import { Badge, type Tone } from './badge';

export { wordsOf };

interface Look {
  readonly label: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
}

const look = (label: string, tone: Tone, icon: LucideIcon): Look => ({ label, tone, icon });

/** How each state of a record looks. A state of a later release is shown as it is. */
const LOOKS: Readonly<Record<string, Look>> = {
  ACTIVE: look('Active', 'gain', CircleDot),
  ARCHIVED: look('Archived', 'neutral', CircleSlash),
  CANCELLED: look('Cancelled', 'neutral', CircleSlash),
  CLAIMABLE: look('Claimable', 'accent', CircleDot),
  CLAIMED: look('Claimed', 'gain', CircleCheck),
  CLOSED: look('Closed', 'neutral', CircleSlash),
  CLOSE_ONLY: look('Close only', 'warn', CircleDashed),
  COMPLETED: look('Completed', 'gain', CircleCheck),
  COPIED: look('Copied', 'gain', CircleCheck),
  DELIVERED: look('Delivered', 'gain', CircleCheck),
  DISCARDED: look('Discarded', 'neutral', CircleSlash),
  EXPIRED: look('Expired', 'neutral', CircleSlash),
  FAILED: look('Failed', 'loss', CircleX),
  FILLED: look('Filled', 'gain', CircleCheck),
  HELD: look('Held', 'warn', Pause),
  OPEN: look('Open', 'accent', CircleDot),
  PARTIALLY_FILLED: look('Partially filled', 'accent', CircleDashed),
  PAUSED: look('Paused', 'neutral', Pause),
  PENDING: look('Pending', 'warn', CircleDashed),
  PROCESSING: look('Processing', 'accent', CircleDashed),
  RETRIED: look('Retried', 'neutral', CircleDot),
  SKIPPED: look('Skipped', 'neutral', TriangleAlert),
};

/** The state of a record, in words, with an icon and a colour. */
export function Status({ value }: { readonly value: string }) {
  const { label, tone, icon: Icon } = LOOKS[value] ?? look(wordsOf(value), 'neutral', CircleDot);
  return (
    <Badge tone={tone} icon={<Icon aria-hidden className="size-3" />}>
      {label}
    </Badge>
  );
}
