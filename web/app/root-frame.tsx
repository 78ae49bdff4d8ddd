// Pages of the team have the frame around them; a page that was shared, and those to sign in with, are by themselves.
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Shell } from './shell.tsx';

const ALONE = /^\/(?:s\/|(?:login|welcome|device)\/?$)/;

export function RootFrame() {
  const isAlone = useRouterState({ select: ({ location }) => ALONE.test(location.pathname) });
  return isAlone ? <Outlet /> : <Shell />;
}
