// Memory for what lives only a moment.
import { setFlagsFromString } from 'node:v8';

/**
 * The heap grows this part up to 128 MiB in a process that is busy for long, to spare itself some
 * collections. A command that waits most of the time gains nothing by it, and its user has other uses
 * for the memory. The size itself can be set only before a process starts; how fast it grows is asked
 * each time.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
