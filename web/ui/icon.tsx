import type { ReactElement, SVGProps } from 'react';

/** Drawn with lines; a text is a path. */
export function icon(...parts: (string | ReactElement)[]) {
  const shapes = parts.map((part) => (typeof part === 'string' ? <path d={part} /> : part));
  return function Icon(props: SVGProps<SVGSVGElement>) {
    return (
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width="24"
        height="24"
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden={props['aria-label'] === undefined ? true : undefined}
        {...props}
      >
        {...shapes}
      </svg>
    );
  };
}
