// Notifications of the browser about what runs ask: the person turns them on for this browser, and the browser asks for
// permission only then.
import { useSyncExternalStore } from 'react';

/** `blocked`: the browser refuses them. `unavailable`: it has none, or not for an address without https. */
export type DesktopNotices = 'on' | 'off' | 'blocked' | 'unavailable';

const KEY = 'millrace.desktop-notices';
const listeners = new Set<() => void>();

export function desktopNotices(): DesktopNotices {
  if (!('Notification' in globalThis) || !isSecureContext) return 'unavailable';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on' ? 'on' : 'off';
}

const changed = () => listeners.forEach((each) => each());

export function useDesktopNotices(): DesktopNotices {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    // Of another tab; and permission is given and taken in the settings of the browser.
    addEventListener('storage', listener);
    addEventListener('focus', listener);
    return () => {
      listeners.delete(listener);
      removeEventListener('storage', listener);
      removeEventListener('focus', listener);
    };
  }, desktopNotices);
}

/** After a click: browsers refuse to ask without one. */
export async function turnOn(): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(KEY, 'on');
  changed();
}

export function turnOff(): void {
  localStorage.removeItem(KEY);
  changed();
}

/** Titles are written by models: one line, without characters that turn its direction. */
const lineOf = (title: string) => title.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();

export function notify(asked: { id: string; title: string }, onClick: () => void): void {
  if (desktopNotices() !== 'on') return;
  try {
    // Of the same question there is one, also where tabs do not share a worker.
    const notice = new Notification('A run needs you', {
      body: lineOf(asked.title),
      tag: asked.id,
    });
    notice.addEventListener('click', () => {
      notice.close();
      onClick();
    });
  } catch {
    // Some phones show none of a page.
  }
}
