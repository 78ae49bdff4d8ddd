import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';

/** Who is signed in, and the team that requests act in. */
export function useMe() {
  return useQuery({ queryKey: ['me'], queryFn: () => api.me(), staleTime: 60_000 });
}
