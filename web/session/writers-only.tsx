import { Eye } from '../ui/icons.tsx';
import type { ReactNode } from 'react';
import { Card, EmptyState } from '../ui/surface.tsx';
import { useMayWrite } from './rights.ts';

/** For pages that are a form and nothing else: viewers read why there is none. */
export function WritersOnly({ to, children }: { to: string; children: ReactNode }) {
  if (useMayWrite()) return children;
  return (
    <Card>
      <EmptyState icon={<Eye />} title="You are a viewer of this team">
        Viewers can look at everything and start nothing. To {to}, ask an owner or admin of the team
        to make you a member, or switch to another team.
      </EmptyState>
    </Card>
  );
}
