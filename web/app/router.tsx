import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { RootFrame } from './root-frame.tsx';
import { readSearch, writeSearch } from './search-text.ts';
import { ErrorState, EmptyState, Skeleton } from '../ui/surface.tsx';

const root = createRootRoute({
  component: RootFrame,
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

/** Keeps the parameters that are named. */
function texts<Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>): { [Key in Name]?: string | undefined } => {
    const given = names.filter((name) => search[name] !== undefined);
    return Object.fromEntries(given.map((name) => [name, String(search[name])])) as never;
  };
}

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: texts('status', 'q', 'days', 'by', 'page'),
  component: lazyRouteComponent(() => import('../pages/runs/runs-page.tsx'), 'RunsPage'),
});

function allTexts(search: Record<string, unknown>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));
}

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  // What the views of a run are filtered by, they know themselves.
  validateSearch: allTexts,
  component: lazyRouteComponent(() => import('../pages/run/run-page.tsx'), 'RunPage'),
});

const executions = createRoute({
  getParentRoute: () => root,
  path: '/executions',
  validateSearch: texts('status', 'mine', 'before'),
  component: lazyRouteComponent(
    () => import('../pages/executions/executions-page.tsx'),
    'ExecutionsPage',
  ),
});

const newExecution = createRoute({
  getParentRoute: () => root,
  path: '/executions/new',
  validateSearch: texts('from'),
  component: lazyRouteComponent(
    () => import('../pages/executions/new-execution-page.tsx'),
    'NewExecutionPage',
  ),
});

const execution = createRoute({
  getParentRoute: () => root,
  path: '/executions/$executionId',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(
    () => import('../pages/executions/execution-page.tsx'),
    'ExecutionPage',
  ),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  validateSearch: texts('id', 'kind', 'status', 'model', 'runId', 'days', 'before'),
  component: lazyRouteComponent(() => import('../pages/jobs/jobs-page.tsx'), 'JobsPage'),
});

const playground = createRoute({
  getParentRoute: () => root,
  path: '/jobs/new',
  validateSearch: texts('from'),
  component: lazyRouteComponent(
    () => import('../pages/jobs/playground-page.tsx'),
    'PlaygroundPage',
  ),
});

const job = createRoute({
  getParentRoute: () => root,
  path: '/jobs/$jobId',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(() => import('../pages/jobs/job-page.tsx'), 'JobPage'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: texts('month', 'by', 'show'),
  component: lazyRouteComponent(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
});

const manifests = createRoute({
  getParentRoute: () => root,
  path: '/manifests',
  component: lazyRouteComponent(
    () => import('../pages/manifests/manifests-page.tsx'),
    'ManifestsPage',
  ),
});

const newPlan = createRoute({
  getParentRoute: () => root,
  path: '/new',
  validateSearch: texts('from'),
  component: lazyRouteComponent(() => import('../pages/new/new-page.tsx'), 'NewPage'),
});

const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect',
  validateSearch: texts('with', 'client'),
  component: lazyRouteComponent(() => import('../pages/connect/connect-page.tsx'), 'ConnectPage'),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: texts('status', 'before'),
  component: lazyRouteComponent(
    () => import('../pages/approvals/approvals-page.tsx'),
    'ApprovalsPage',
  ),
});

const approval = createRoute({
  getParentRoute: () => root,
  path: '/approvals/$approvalId',
  // What the files of a review are filtered by.
  validateSearch: texts('q', 'show', 'stream'),
  component: lazyRouteComponent(
    () => import('../pages/approvals/approval-page.tsx'),
    'ApprovalPage',
  ),
});

const runners = createRoute({
  getParentRoute: () => root,
  path: '/runners',
  validateSearch: texts('status', 'project', 'before'),
  component: lazyRouteComponent(() => import('../pages/runners/runners-page.tsx'), 'RunnersPage'),
});

const newRequest = createRoute({
  getParentRoute: () => root,
  path: '/requests/new',
  validateSearch: texts('project', 'manifest', 'from'),
  component: lazyRouteComponent(
    () => import('../pages/requests/new-request-page.tsx'),
    'NewRequestPage',
  ),
});

const request = createRoute({
  getParentRoute: () => root,
  path: '/requests/$requestId',
  component: lazyRouteComponent(() => import('../pages/requests/request-page.tsx'), 'RequestPage'),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  component: lazyRouteComponent(
    () => import('../pages/schedules/schedules-page.tsx'),
    'SchedulesPage',
  ),
});

const newSchedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/new',
  validateSearch: texts('project'),
  component: lazyRouteComponent(
    () => import('../pages/schedules/schedule-form-page.tsx'),
    'NewSchedulePage',
  ),
});

const schedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/$id',
  component: lazyRouteComponent(
    () => import('../pages/schedules/schedule-page.tsx'),
    'SchedulePage',
  ),
});

const editSchedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/$id/edit',
  component: lazyRouteComponent(
    () => import('../pages/schedules/schedule-form-page.tsx'),
    'EditSchedulePage',
  ),
});

const triggers = createRoute({
  getParentRoute: () => root,
  path: '/triggers',
  component: lazyRouteComponent(
    () => import('../pages/triggers/triggers-page.tsx'),
    'TriggersPage',
  ),
});

const newTrigger = createRoute({
  getParentRoute: () => root,
  path: '/triggers/new',
  validateSearch: texts('project'),
  component: lazyRouteComponent(
    () => import('../pages/triggers/trigger-form-page.tsx'),
    'NewTriggerPage',
  ),
});

const trigger = createRoute({
  getParentRoute: () => root,
  path: '/triggers/$id',
  component: lazyRouteComponent(() => import('../pages/triggers/trigger-page.tsx'), 'TriggerPage'),
});

const editTrigger = createRoute({
  getParentRoute: () => root,
  path: '/triggers/$id/edit',
  component: lazyRouteComponent(
    () => import('../pages/triggers/trigger-form-page.tsx'),
    'EditTriggerPage',
  ),
});

const system = createRoute({
  getParentRoute: () => root,
  path: '/system',
  component: lazyRouteComponent(() => import('../pages/system/system-page.tsx'), 'SystemPage'),
});

const workRoutes = [
  newPlan,
  executions,
  newExecution,
  execution,
  jobs,
  playground,
  job,
  usage,
  manifests,
  connect,
  approvals,
  approval,
  runners,
  newRequest,
  request,
  system,
] as const;

const startRoutes = [
  schedules,
  newSchedule,
  schedule,
  editSchedule,
  triggers,
  newTrigger,
  trigger,
  editTrigger,
] as const;

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: (search: Record<string, unknown>): { a?: string; b?: string } => ({
    ...(typeof search['a'] === 'string' ? { a: search['a'] } : {}),
    ...(typeof search['b'] === 'string' ? { b: search['b'] } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/compare/compare-page.tsx'), 'ComparePage'),
});

const shared = createRoute({
  getParentRoute: () => root,
  path: '/s/$shareId',
  component: lazyRouteComponent(() => import('../pages/shared/shared-page.tsx'), 'SharedPage'),
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyRouteComponent(() => import('../pages/sign-in/login-page.tsx'), 'LoginPage'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../pages/sign-in/welcome-page.tsx'), 'WelcomePage'),
});

const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  component: lazyRouteComponent(() => import('../pages/sign-in/device-page.tsx'), 'DevicePage'),
});

const signInRoutes = [login, welcome, device] as const;

// Which page of the settings it is, the layout knows: none of them is loaded before.
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings/$',
  validateSearch: allTexts,
  component: lazyRouteComponent(
    () => import('../pages/settings/settings-layout.tsx'),
    'SettingsLayout',
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    index,
    runs,
    run,
    compare,
    shared,
    settings,
    ...signInRoutes,
    ...workRoutes,
    ...startRoutes,
  ]),
  parseSearch: readSearch,
  stringifySearch: writeSearch,
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
