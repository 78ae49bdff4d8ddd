// An overlay shows all of the folders below it unless a "whiteout" of the same name lies above: a device with
// the number 0, which any user may create.
import { spawnSync } from 'node:child_process';
import { linkSync } from 'node:fs';
import { join } from 'node:path';

/** One device has many names: so many links are allowed everywhere that matters. */
const LINKS = 30_000;

/** False where whiteouts cannot be created. The folders of the paths are there. */
export function writeWhiteouts(layer: string, spare: string, paths: Iterable<string>): boolean {
  let count = 0;
  let device = '';
  for (const path of paths) {
    if (count % LINKS === 0) {
      device = join(spare, `whiteout-${count / LINKS}`);
      const { status } = spawnSync('mknod', [device, 'c', '0', '0'], {
        env: { PATH: '/usr/bin:/bin' },
      });
      if (status !== 0) return false;
    }
    linkSync(device, join(layer, path));
    count += 1;
  }
  return true;
}
