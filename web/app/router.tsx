import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ErrorState, EmptyState, Skeleton } from '../ui/surface.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <EmptyState title="There is no such page">Choose one on the left.</EmptyState>
  ),
});

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  // The router takes what is thrown for where to go.
  beforeLoad: () => redirect({ to: '/runs', throw: true }),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: (search: Record<string, unknown>) => ({
    ...(typeof search['status'] === 'string' ? { status: search['status'] } : {}),
    ...(typeof search['q'] === 'string' ? { q: search['q'] } : {}),
    ...(typeof search['days'] === 'number' ? { days: search['days'] } : {}),
    ...(typeof search['page'] === 'number' ? { page: search['page'] } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/runs/runs-page.tsx'), 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  validateSearch: (search: Record<string, unknown>): { tab?: string; stream?: string } => ({
    ...(typeof search['tab'] === 'string' ? { tab: search['tab'] } : {}),
    ...(typeof search['stream'] === 'string' ? { stream: search['stream'] } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/run/run-page.tsx'), 'RunPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([index, runs, run]),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Skeleton />,
  defaultErrorComponent: ({ error }) => (
    <ErrorState error={error} onRetry={() => location.reload()} />
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
