// The pages of the side bar, in its order, with the key that leads to each after `g`.
import { GitFork } from 'lucide-react';
import type { ComponentType } from 'react';

export interface NavPage {
  to: string;
  label: string;
  key: string;
  Icon: ComponentType<{ className?: string }>;
}

export const NAV_PAGES: readonly NavPage[] = [
  { to: '/runs', label: 'Runs', key: 'r', Icon: GitFork },
];
