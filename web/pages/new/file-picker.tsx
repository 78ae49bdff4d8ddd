// The files that matter: dropped or picked, each under the path that it has in the project.
import { useRef, useState } from 'react';
import type { DragEvent } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Input } from '../../ui/field.tsx';
import { FilePlus, X } from '../../ui/icons.tsx';
import { addFiles } from './read-files.ts';
import type { PickedFile } from './read-files.ts';

function Row({
  file,
  onPath,
  onRemove,
}: {
  file: PickedFile;
  onPath: (path: string) => void;
  onRemove: () => void;
}) {
  return (
    <li className="flex items-center gap-2">
      <Input
        aria-label={`Path of ${file.path} in the project`}
        value={file.path}
        spellCheck={false}
        className="font-mono text-xs"
        onChange={({ target }) => onPath(target.value)}
      />
      <IconButton name={`Remove ${file.path}`} onClick={onRemove}>
        <X />
      </IconButton>
    </li>
  );
}

export function FilePicker({
  files,
  onChange,
}: {
  files: readonly PickedFile[];
  onChange: (files: PickedFile[]) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [refused, setRefused] = useState<string[]>([]);
  const add = async (given: readonly File[]) => {
    const picked = await addFiles(files, given);
    setRefused(picked.refused);
    onChange(picked.files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void add([...event.dataTransfer.files]);
  };
  return (
    <fieldset
      className={cx(
        'flex min-w-0 flex-col gap-2 rounded-lg border border-dashed p-3',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <legend className="sr-only">Files that matter</legend>
      <div className="flex flex-wrap items-center gap-3">
        <Button size="small" icon={<FilePlus />} onClick={() => input.current?.click()}>
          Add files
        </Button>
        <p className="text-xs text-soft">
          Or drop them here. The model reads them; correct their paths, so that it names them as
          your project does.
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files that matter"
          onChange={({ target }) => {
            void add([...(target.files ?? [])]);
            // The same file can be picked again.
            target.value = '';
          }}
        />
      </div>
      {files.length > 0 ? (
        <ul className="flex max-h-52 flex-col gap-1.5 overflow-y-auto">
          {files.map((file, at) => (
            <Row
              key={at}
              file={file}
              onPath={(path) => onChange(files.with(at, { ...file, path }))}
              onRemove={() => onChange(files.toSpliced(at, 1))}
            />
          ))}
        </ul>
      ) : null}
      {refused.length > 0 ? (
        <div role="alert" className="text-xs text-bad">
          {refused.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      ) : null}
    </fieldset>
  );
}
