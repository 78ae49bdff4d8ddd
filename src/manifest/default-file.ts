/** The manifest of a project, where none is named. */
export const DEFAULT_MANIFEST = 'millrace.yaml';
