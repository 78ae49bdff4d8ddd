import type { CommandPlace } from '../model.ts';
import type { FieldValues } from './read-fields.ts';

export function commandPlace(values: FieldValues): CommandPlace {
  const { sandboxCommands, commandNetwork }: CommandPlace = values;
  return {
    ...(sandboxCommands === undefined ? {} : { sandboxCommands }),
    ...(commandNetwork === undefined ? {} : { commandNetwork }),
  };
}
