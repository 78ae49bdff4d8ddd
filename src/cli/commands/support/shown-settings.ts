// The settings of this server as far as they may leave it.
import { SETTINGS } from '../../../config/settings.ts';
import type { Setting, SettingName } from '../../../config/settings.ts';
import type { Scrubber } from '../../../platform/log.ts';
import { isSecretSetting } from '../../../config/secret-settings.ts';
import type { CommandOptions } from '../../command.ts';

export interface ShownSetting {
  value: string;
  from: 'flag' | 'environment' | 'default' | 'unset';
}

function textOf(name: SettingName, options: CommandOptions, env: NodeJS.ProcessEnv) {
  const setting: Setting = SETTINGS[name];
  const flag = options[name];
  if (setting.flag !== undefined && typeof flag === 'string') {
    return { text: flag, from: 'flag' } as const;
  }
  const fromEnv = env[setting.env];
  if (fromEnv !== undefined && fromEnv !== '') {
    return { text: fromEnv, from: 'environment' } as const;
  }
  if (setting.default !== undefined) return { text: setting.default, from: 'default' } as const;
  return { text: undefined, from: 'unset' } as const;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a key or a password would be recognized by, if it turned up elsewhere. */
export function secretsIn(text: string): string[] {
  const password = URL.parse(text)?.password ?? '';
  // Several master keys are separated by commas.
  const parts = text.split(',').map((part) => part.trim());
  return [text, ...parts, password, decoded(password)];
}

/** Some vendors take a key there. */
function withoutQuery(text: string): string {
  const at = text.includes('://') ? text.indexOf('?') : -1;
  return at === -1 ? text : `${text.slice(0, at)}?[hidden]`;
}

/** By the name of the environment variable. Tells the scrubber every secret among them. */
export function shownSettings(
  options: CommandOptions,
  env: NodeJS.ProcessEnv,
  scrubber: Scrubber,
): Record<string, ShownSetting> {
  const shown: Record<string, ShownSetting> = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const { text, from } = textOf(name, options, env);
    const isSecret = isSecretSetting(name);
    if (isSecret && text !== undefined) for (const one of secretsIn(text)) scrubber.add(one);
    const open = withoutQuery(text ?? '');
    shown[SETTINGS[name].env] = { value: isSecret && text ? '[hidden]' : open, from };
  }
  return shown;
}
