// What pages have loaded belongs to the session: when the server says that it has ended, the person signs in again.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { MillraceError } from '../../src/client/index.ts';
import { toastError } from '../ui/toast.tsx';
import { goToLogin, isSignedOut } from './login.ts';

const TRIES = 2;

function onError(error: unknown): void {
  // The session has ended, here or elsewhere.
  if (isSignedOut(error)) goToLogin();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError(error) {
      onError(error);
      toastError(error);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (count, error) =>
        count < TRIES && !(error instanceof MillraceError && error.status < 500),
    },
  },
});
