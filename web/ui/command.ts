// The commands that pages show, made for the reader's machine by the one function that makes them all.
import { INSTALLED, suggestCommand } from '../../src/domain/command/suggested-command.ts';
import type { Launch } from '../../src/domain/command/suggested-command.ts';
import { chosenTeam } from '../api/chosen-team.ts';

/** Outside of a browser there is none of it. */
const page = globalThis as {
  document?: { querySelector(selectors: string): { content?: string } | null };
  location?: { origin: string };
};

/** What the server says about itself in the page; see `http/web/page-meta`. */
function launchOfPage(): Launch | undefined {
  const content = page.document?.querySelector('meta[name="millrace-launch"]')?.content;
  return content === undefined ? undefined : (JSON.parse(content) as Launch);
}

/** For a reader at the machine of the server; undefined for others, whose installation is not known. */
export const localLaunch: Launch | undefined = launchOfPage();

/** Without more flags than the program needs: for commands about nothing on this server. */
export function plainLaunch(): Launch {
  return { program: (localLaunch ?? INSTALLED).program, flags: [] };
}

function launch(): Launch {
  if (localLaunch !== undefined) return localLaunch;
  const { location } = page;
  return location ? { ...INSTALLED, flags: ['--url', location.origin] } : INSTALLED;
}

/** Acts on this server, in the team that this page shows. */
export function command(...words: string[]): string {
  const team = page.document === undefined ? undefined : chosenTeam();
  const { program, flags } = launch();
  const named = team === undefined || words.includes('--team') ? [] : ['--team', team];
  return suggestCommand({ program, flags: [...flags, ...named] }, ...words);
}
