import { lstatSync, statfsSync } from 'node:fs';

// File systems of which it is known that the times of a folder change with each entry that comes,
// goes or gets another name. Elsewhere (over a network, through another system's driver) it may be
// so, and nothing would tell if it were not: there each folder is read for each snapshot.
const WITH_FOLDER_TIMES: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

/** The device whose folders tell by their times whether they changed, if it is such a one. */
export function deviceOf(root: string): number | undefined {
  // The numbers are those of this system.
  if (process.platform !== 'linux') return undefined;
  try {
    return WITH_FOLDER_TIMES.has(statfsSync(root).type) ? lstatSync(root).dev : undefined;
  } catch {
    return undefined;
  }
}
