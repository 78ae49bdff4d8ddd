/** A name beside that of the manifest: `plans/shop.yaml` to `plans/shop-fork.yaml`. */
export function forkedName(file: string): string {
  // A runner keeps what it was given outside of the project.
  const name = (file.startsWith('../') ? file.split('/').at(-1) : file) || 'millrace.yaml';
  const dot = name.lastIndexOf('.');
  return dot > name.lastIndexOf('/') + 1
    ? `${name.slice(0, dot)}-fork${name.slice(dot)}`
    : `${name}-fork`;
}
