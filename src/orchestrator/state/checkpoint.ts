// The state of the streams in the manifest itself. The journal is the truth while a run is on; the
// YAML follows it, at most twice a second. A text that was edited meanwhile is read again and
// only the fields that the orchestrator manages are set in it. A manifest of notation A has no such
// fields: it is looked at, and never written.
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { editManifest } from '../../manifest/edit/editor.ts';
import type { ManifestEditor, NewStream } from '../../manifest/edit/editor.ts';
import type { StreamStatus } from '../../manifest/model.ts';
import { isUnchanged, stampOf } from '../../platform/file-stamp.ts';
import type { Stamp } from '../../platform/file-stamp.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';

export interface ManagedFields {
  status?: StreamStatus;
  /** Null takes the field away. */
  error?: string | null;
  attempts?: number;
  appliedAt?: string | null;
  skippedBy?: string | null;
}

export interface Checkpoint {
  set(streamId: string, fields: ManagedFields): void;
  setRunStatus(status: string): void;
  addStream(stream: NewStream): void;
  removeStream(streamId: string): void;
  /** Writes what is not written yet; false when the file cannot be edited as it is now. */
  flush(): Promise<boolean>;
  /** Looks whether the file was changed; an edit is seen here before the next one is written. */
  look(): Promise<void>;
  /** Soon, together with what comes until then. */
  schedule(): void;
  close(): Promise<void>;
}

const INTERVAL_MS = 500;

export function createCheckpoint(options: {
  file: string;
  text: string;
  /** Nothing is written into it. */
  isReadOnly?: boolean;
  /** The file was changed; called once for each change. */
  onEdited?(text: string): void;
  onProblem?(message: string): void;
}): Checkpoint {
  const { file, isReadOnly = false } = options;
  let editor: ManifestEditor = editManifest(options.text);
  let written = options.text;
  /** The file as it was when `written` was its text; undefined when that is not known. */
  let seen: Stamp | undefined;
  const fields = new Map<string, ManagedFields>();
  const added = new Map<string, NewStream>();
  const removed = new Set<string>();
  let runStatus: string | undefined;
  /** Reported once, not twice a second. */
  let lastProblem: string | undefined;
  let dirty = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<boolean> = Promise.resolve(true);

  function setAll(target: ManifestEditor): void {
    for (const id of removed) if (target.has(id)) target.removeStream(id);
    for (const [id, stream] of added) if (!target.has(id)) target.addStream(stream);
    for (const [id, values] of fields) {
      if (!target.has(id)) continue;
      for (const [name, value] of Object.entries(values)) target.set(id, name, value ?? null);
    }
    if (runStatus !== undefined) target.setTop('status', runStatus);
  }

  function takeOver(now: string): void {
    if (!isReadOnly) {
      editor = editManifest(now);
      setAll(editor);
    }
    options.onEdited?.(now);
  }

  async function look(): Promise<void> {
    try {
      const lookedAt = Date.now();
      const about = statSync(file);
      if (seen && isUnchanged(seen, about)) return;
      const now = await readFile(file, 'utf8');
      seen = stampOf(about, lookedAt);
      if (now === written) return;
      takeOver(now);
      written = now;
      dirty = !isReadOnly;
    } catch {
      // Gone, or not YAML: reported when it is next written.
    }
  }

  async function write(): Promise<boolean> {
    if (!dirty) return true;
    try {
      const now = await readFile(file, 'utf8');
      if (now !== written) takeOver(now);
      dirty = false;
      const text = editor.toString();
      if (text !== now) {
        const { mode } = statSync(file);
        await writeWholeFile(file, text, { mode, draft: `${file}.millrace-tmp` });
        seen = undefined;
      }
      written = text;
      lastProblem = undefined;
      return true;
    } catch (error) {
      dirty = true;
      const { message } = error as Error;
      if (message !== lastProblem) options.onProblem?.(message);
      lastProblem = message;
      return false;
    }
  }

  function change(make: () => void): void {
    if (isReadOnly) return;
    make();
    dirty = true;
  }

  return {
    set: (id, values) =>
      change(() => {
        fields.set(id, { ...fields.get(id), ...values });
        if (!editor.has(id)) return;
        for (const [name, value] of Object.entries(values)) editor.set(id, name, value ?? null);
      }),
    setRunStatus: (status) =>
      change(() => {
        runStatus = status;
        editor.setTop('status', status);
      }),
    addStream: (stream) =>
      change(() => {
        added.set(stream.id, stream);
        if (!editor.has(stream.id)) editor.addStream(stream);
      }),
    removeStream: (id) =>
      change(() => {
        removed.add(id);
        added.delete(id);
        fields.delete(id);
        if (editor.has(id)) editor.removeStream(id);
      }),
    async look() {
      const looked = writing.then(look);
      writing = looked.then(() => true);
      return looked;
    },
    async flush() {
      clearTimeout(timer);
      timer = undefined;
      writing = writing.then(write);
      return writing;
    },
    schedule() {
      timer ??= setTimeout(() => {
        timer = undefined;
        writing = writing.then(write);
      }, INTERVAL_MS);
    },
    async close() {
      clearTimeout(timer);
      await writing;
    },
  };
}
