import { Skeleton } from '../../ui/skeleton';

/** The place of the ticket while it loads. */
export const TicketSkeleton = () => (
  <div role="status" aria-label="Loading" className="flex flex-col gap-3">
    {['a', 'b', 'c', 'd', 'e', 'f'].map((line) => (
      <Skeleton key={line} className="h-12 w-full" />
    ))}
  </div>
);
