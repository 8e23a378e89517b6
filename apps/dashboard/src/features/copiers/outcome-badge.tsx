import { CircleDashed } from 'lucide-react';
import { Badge } from '../../ui/badge';
import { Status } from '../../ui/status';

/** The outcome of a decision; a reduced copy is called so, not clamped. */
export function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  if (outcome !== 'CLAMPED') return <Status value={outcome} />;
  return (
    <Badge tone="warn" icon={<CircleDashed aria-hidden className="size-3" />}>
      Reduced
    </Badge>
  );
}
