// Files that a person picks or drops, as texts for the model.

export interface PickedFile {
  /** As in the project; the browser knows only its name. */
  path: string;
  text: string;
}

export interface Picked {
  files: PickedFile[];
  /** Why files were left out, in words. */
  refused: string[];
}

const MAX_FILES = 200;
/** A request may have 8 MiB, in which quotes and line breaks take two bytes. */
const MAX_BYTES = 5 * 1024 * 1024;

async function textOf(file: File): Promise<string | undefined> {
  try {
    const text = await file.text();
    return text.includes('\0') ? undefined : text;
  } catch {
    // A folder, or a file that is gone.
    return undefined;
  }
}

const sizeOf = (files: readonly PickedFile[]) =>
  files.reduce((sum, { text }) => sum + text.length, 0);

/** A file that is picked again replaces the one before. */
export async function addFiles(
  before: readonly PickedFile[],
  given: readonly File[],
): Promise<Picked> {
  let files = [...before];
  const refused: string[] = [];
  for (const file of given) {
    const path = file.webkitRelativePath || file.name;
    const others = files.filter((each) => each.path !== path);
    if (others.length >= MAX_FILES) {
      refused.push(`${path} was left out: at most ${MAX_FILES} files can be sent.`);
    } else if (sizeOf(others) + file.size > MAX_BYTES) {
      refused.push(`${path} was left out: all files together may have 5 MB.`);
    } else {
      const text = await textOf(file);
      if (text === undefined) refused.push(`${path} was left out: it is no text file.`);
      else files = [...others, { path, text }];
    }
  }
  return { files, refused };
}
