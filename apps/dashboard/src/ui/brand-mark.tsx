/** The mark of the product. */
export const BrandMark = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className="size-6 shrink-0">
    <rect width="32" height="32" rx="8" className="fill-accent" />
    <path
      d="M7 21l6-7 5 4 7-9"
      fill="none"
      stroke="#fff"
      strokeWidth="3"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);
