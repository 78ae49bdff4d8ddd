// The colour of a state, the same in every list.
import type { Style } from './output.ts';

const STYLES: Record<string, Style> = {
  complete: 'green',
  completed: 'green',
  delivered: 'green',
  active: 'green',
  running: 'cyan',
  in_progress: 'cyan',
  failed: 'red',
  revoked: 'red',
  expired: 'red',
  cancelled: 'yellow',
  paused: 'yellow',
  disabled: 'yellow',
  blocked: 'yellow',
};

export function statusStyle(status: string): Style {
  return STYLES[status] ?? 'dim';
}
