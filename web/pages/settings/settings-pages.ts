// The pages of the settings, in the order of their navigation. Each is loaded when it is opened.
import { lazy } from 'react';
import type { ComponentType, LazyExoticComponent } from 'react';
import { Bell, Plug } from '../../ui/frame-icons.tsx';
import { CreditCard, KeyRound, ScrollText, User, Users } from '../../ui/icons.tsx';

export interface SettingsPage {
  path: string;
  label: string;
  group: 'Team' | 'You';
  Icon: ComponentType<{ className?: string }>;
  Page: LazyExoticComponent<ComponentType>;
}

export const SETTINGS_PAGES: readonly SettingsPage[] = [
  {
    path: 'provider-keys',
    label: 'Provider keys',
    group: 'Team',
    Icon: Plug,
    Page: lazy(async () => ({
      default: (await import('./provider-keys/provider-keys-page.tsx')).ProviderKeysPage,
    })),
  },
  {
    path: 'webhooks',
    label: 'Webhooks',
    group: 'Team',
    Icon: Bell,
    Page: lazy(async () => ({
      default: (await import('./webhooks/webhooks-page.tsx')).WebhooksPage,
    })),
  },
  {
    path: 'team',
    label: 'Team',
    group: 'Team',
    Icon: Users,
    Page: lazy(async () => ({ default: (await import('./team/team-page.tsx')).TeamPage })),
  },
  {
    path: 'plan',
    label: 'Plan',
    group: 'Team',
    Icon: CreditCard,
    Page: lazy(async () => ({ default: (await import('./plan/plan-page.tsx')).PlanPage })),
  },
  {
    path: 'audit',
    label: 'Audit log',
    group: 'Team',
    Icon: ScrollText,
    Page: lazy(async () => ({ default: (await import('./audit/audit-page.tsx')).AuditPage })),
  },
  {
    path: 'api-keys',
    label: 'API keys',
    group: 'You',
    Icon: KeyRound,
    Page: lazy(async () => ({
      default: (await import('./api-keys/api-keys-page.tsx')).ApiKeysPage,
    })),
  },
  {
    path: 'account',
    label: 'Account',
    group: 'You',
    Icon: User,
    Page: lazy(async () => ({ default: (await import('./account/account-page.tsx')).AccountPage })),
  },
];
