// What a list is filtered by is part of its address: a link leads to the same list, and Back to the one before.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Search } from './icons.tsx';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { Input, Select } from './field.tsx';

export type FilterValues = Readonly<Record<string, string | undefined>>;

export interface Filters {
  values: FilterValues;
  isAny: boolean;
  /** Undefined or empty: not filtered by it. The list begins at its newest items again. */
  set(change: FilterValues, options?: { replace?: boolean }): void;
  /** To another part of the same list. */
  turn(to: FilterValues): void;
  clear(): void;
}

/** Where in the list one is. */
const PLACES = { before: undefined, page: undefined } as const;

export function useFilters(): Filters {
  const values = useSearch({ strict: false }) as FilterValues;
  const navigate = useNavigate();
  const go = (next: FilterValues, replace = false) => {
    const given = Object.entries(next).filter(([, value]) => value);
    void navigate({ to: '.', search: Object.fromEntries(given) as never, replace });
  };
  return {
    values,
    isAny: Object.values(values).some((value) => value !== undefined),
    set: (change, { replace = false } = {}) => go({ ...values, ...PLACES, ...change }, replace),
    turn: (to) => go({ ...values, ...to }),
    clear: () => go({}),
  };
}

export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line p-3">{children}</div>
  );
}

interface TextFilterProps {
  filters: Filters;
  name: string;
  label: string;
  placeholder: string;
  isInvalid?: boolean;
  className?: string;
}

/** Each letter changes the address and none is a step back. */
export function TextFilter({
  filters,
  name,
  label,
  placeholder,
  isInvalid,
  type = 'text',
  className,
}: TextFilterProps & { type?: 'text' | 'search' }) {
  const field = useRef<HTMLInputElement>(null);
  const value = filters.values[name] ?? '';
  // The address changes a moment after the letters; only when it changes by itself does the field follow.
  useEffect(() => {
    const input = field.current;
    if (input && input !== document.activeElement) input.value = value;
  }, [value]);
  return (
    <Input
      ref={field}
      type={type}
      aria-label={label}
      placeholder={placeholder}
      className={className}
      spellCheck={false}
      defaultValue={value}
      aria-invalid={isInvalid || undefined}
      onChange={(event) => filters.set({ [name]: event.target.value.trim() }, { replace: true })}
    />
  );
}

export function SearchFilter(props: TextFilterProps) {
  return (
    <div className="relative min-w-48 flex-1 sm:max-w-72">
      <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-faint" />
      <TextFilter {...props} type="search" className="pl-8" />
    </div>
  );
}

export function ChoiceFilter({
  filters,
  name,
  label,
  all,
  options,
  children,
  className,
}: {
  filters: Filters;
  name: string;
  label: string;
  /** What it says when the list is not filtered by it. */
  all: string;
  options?: Readonly<Record<string, string>>;
  /** Instead of `options`, where they are in groups. */
  children?: ReactNode;
  className?: string;
}) {
  return (
    <Select
      aria-label={label}
      className={className}
      value={filters.values[name] ?? ''}
      onChange={(event) => filters.set({ [name]: event.target.value })}
    >
      <option value="">{all}</option>
      {children}
      {Object.entries(options ?? {}).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </Select>
  );
}

export function TimeFilter({ filters, className }: { filters: Filters; className?: string }) {
  return (
    <ChoiceFilter
      filters={filters}
      name="days"
      label="Time"
      all="Any time"
      options={{ 1: 'Last 24 hours', 7: 'Last 7 days', 30: 'Last 30 days' }}
      {...(className === undefined ? {} : { className })}
    />
  );
}
