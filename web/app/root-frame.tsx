// Pages of the team have the frame around them; a page that was shared stands for itself.
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Shell } from './shell.tsx';

export function RootFrame() {
  const isShared = useRouterState({
    select: ({ location }) => location.pathname.startsWith('/s/'),
  });
  return isShared ? <Outlet /> : <Shell />;
}
