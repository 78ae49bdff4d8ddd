/** The Millrace mark: two lines of running water. */
export function Mark({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="2.6" strokeLinecap="round">
        <path d="M6 12.5c3.4-3.6 6.6-3.6 10 0s6.6 3.6 10 0" />
        <path d="M6 20c3.4-3.6 6.6-3.6 10 0s6.6 3.6 10 0" opacity=".65" />
      </g>
    </svg>
  );
}
