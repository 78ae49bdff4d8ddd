// Opens a page in the user's browser, where there is one.
import { spawn } from 'node:child_process';

type Opener = readonly [command: string, ...args: string[]];

/** Undefined where nobody would see it: over ssh, or without a screen. */
export function browserOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Opener | undefined {
  const [command, ...args] = (env['BROWSER'] ?? '').split(' ').filter((word) => word !== '');
  if (command !== undefined) return [command, ...args];
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
}

/** The address comes from the server: only pages are opened, no files and no programs. */
export function openBrowser(url: string, opener: Opener): boolean {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return false;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, new URL(url).href], { stdio: 'ignore', detached: true });
  // The address is on the screen as well.
  child.on('error', () => {});
  child.unref();
  return true;
}
