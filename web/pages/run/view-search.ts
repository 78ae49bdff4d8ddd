// What the views of a run are filtered by, in the address: a link shows the same to whoever opens it.
import { useNavigate, useSearch } from '@tanstack/react-router';

type ViewSearch = Partial<Record<string, string>>;

/** An empty text takes a filter out. */
export function useViewSearch(): [ViewSearch, (change: ViewSearch) => void] {
  const search = useSearch({ from: '/runs/$runId' }) as ViewSearch;
  const navigate = useNavigate({ from: '/runs/$runId' });
  return [
    search,
    (change) =>
      void navigate({
        search: (before) => {
          const all = Object.entries({ ...before, ...change });
          return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== ''));
        },
        replace: true,
      }),
  ];
}
