// Every key of the dashboard, in one table: the listener acts on it and the list under `?` is drawn from it.
import { NAV_PAGES } from './nav-pages.ts';

export type ShortcutAct =
  | { kind: 'go'; to: string }
  | { kind: 'palette' }
  | { kind: 'keys' }
  | { kind: 'filter' };

export interface Shortcut {
  /** One after the other; `mod` is Ctrl, or Command on a Mac, held with the next. */
  keys: readonly string[];
  label: string;
  act: ShortcutAct;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['mod', 'k'], label: 'Open the command palette', act: { kind: 'palette' } },
  { keys: ['/'], label: 'Filter the page', act: { kind: 'filter' } },
  { keys: ['?'], label: 'Show these keys', act: { kind: 'keys' } },
  ...NAV_PAGES.map(({ to, label, key }): Shortcut => ({
    keys: ['g', key],
    label: `Go to ${label}`,
    act: { kind: 'go', to },
  })),
];

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

export const shownKey = (key: string) => (key === 'mod' ? (IS_MAC ? '⌘' : 'Ctrl') : key);
