// What the environment and the settings files say about the tools.
import { ConfigError } from '../../../config/config-error.ts';
import { DEFAULT_TOOL_SETTINGS } from '../../../tools/deps.ts';
import type { ToolSettings } from '../../../tools/deps.ts';
import type { ClientSettings } from '../../settings/client-settings.ts';
import { findProjectFile } from '../../settings/settings-files.ts';

const SHORTEST_MS = 100;
const LONGEST_MS = 3_600_000;

function softDeadlineOf(env: NodeJS.ProcessEnv): number | undefined {
  const text = env['MILLRACE_SOFT_DEADLINE_MS'];
  if (!text) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= SHORTEST_MS && value <= LONGEST_MS) return value;
  throw new ConfigError([
    `MILLRACE_SOFT_DEADLINE_MS "${text}": use milliseconds, ${SHORTEST_MS} to ${LONGEST_MS}`,
  ]);
}

function onAbortOf(env: NodeJS.ProcessEnv): ToolSettings['onAbort'] {
  const text = env['MILLRACE_ON_ABORT'];
  if (!text) return undefined;
  if (text === 'detach' || text === 'cancel') return text;
  throw new ConfigError([`MILLRACE_ON_ABORT "${text}": use detach or cancel`]);
}

/** The project's file may come from anybody: it cannot make an assistant write without asking. */
function applyOf({ apply }: ClientSettings): ToolSettings['apply'] {
  const isFromProject = apply.from === findProjectFile(process.cwd());
  return isFromProject && apply.value === 'auto' ? 'ask' : apply.value;
}

export function toolSettingsOf(settings: ClientSettings, env: NodeJS.ProcessEnv): ToolSettings {
  return {
    ...DEFAULT_TOOL_SETTINGS,
    apply: applyOf(settings),
    model: settings.model?.value,
    softDeadlineMs: softDeadlineOf(env),
    onAbort: onAbortOf(env),
  };
}
