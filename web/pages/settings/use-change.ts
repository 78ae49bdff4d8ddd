// A change of the settings: what it says when it is done, and which lists it makes stale.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from '../../ui/toast.tsx';

export function useChange<Input, Output>(options: {
  change: (input: Input) => Promise<Output>;
  /** The first parts of keys of queries. */
  stale: readonly string[];
  said?: (output: Output, input: Input) => string;
  onDone?: (output: Output) => void;
}) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: options.change,
    async onSuccess(output, input) {
      // First: what was deleted may not be on the page when its lists are asked for again.
      options.onDone?.(output);
      await Promise.all(
        // The audit log has a new entry after every one of them.
        [...options.stale, 'audit'].map((key) => client.invalidateQueries({ queryKey: [key] })),
      );
      if (options.said) toast(options.said(output, input), 'good');
    },
  });
}

/** What the server says about a field of a form; undefined when it is about something else. */
export function problemOf(error: unknown, field: string): string | undefined {
  const { details } = (error ?? {}) as { details?: unknown };
  if (!Array.isArray(details)) return undefined;
  return (details as { path: string; message: string }[]).find(({ path }) => path === field)
    ?.message;
}
