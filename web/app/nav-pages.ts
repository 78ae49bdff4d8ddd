// The pages of the side bar, in its order, with the key that leads to each after `g`.
import {
  Bell,
  ChartColumn,
  Clock,
  FileCode,
  GitFork,
  Monitor,
  PencilLine,
  Plug,
  Server,
  Settings,
  SquareTerminal,
  Workflow,
  Zap,
} from '../ui/frame-icons.tsx';
import type { ComponentType } from 'react';

export interface NavPage {
  to: string;
  label: string;
  key: string;
  Icon: ComponentType<{ className?: string }>;
}

export const NAV_PAGES: readonly NavPage[] = [
  { to: '/new', label: 'New', key: 'n', Icon: PencilLine },
  { to: '/runs', label: 'Runs', key: 'r', Icon: GitFork },
  { to: '/runners', label: 'Runners', key: 'w', Icon: Monitor },
  { to: '/schedules', label: 'Schedules', key: 'h', Icon: Clock },
  { to: '/triggers', label: 'Triggers', key: 't', Icon: Zap },
  { to: '/approvals', label: 'Needs you', key: 'a', Icon: Bell },
  { to: '/executions', label: 'Executions', key: 'e', Icon: Workflow },
  { to: '/jobs', label: 'Jobs', key: 'j', Icon: SquareTerminal },
  { to: '/manifests', label: 'Manifests', key: 'm', Icon: FileCode },
  { to: '/usage', label: 'Usage', key: 'u', Icon: ChartColumn },
  { to: '/connect', label: 'Connect', key: 'c', Icon: Plug },
  { to: '/settings', label: 'Settings', key: 's', Icon: Settings },
  { to: '/system', label: 'System', key: 'y', Icon: Server },
];
