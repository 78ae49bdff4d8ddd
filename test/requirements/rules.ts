// What one rule of the interface looks like, and how a file lists the rules of one place compactly.

export type Feature =
  | 'accounts'
  | 'approvals'
  | 'artifacts'
  | 'auth'
  | 'billing'
  | 'cli'
  | 'client'
  | 'dashboard'
  | 'deprecation'
  | 'executions'
  | 'history'
  | 'http'
  | 'jobs'
  | 'library'
  | 'limits'
  | 'manifests'
  | 'operator-cli'
  | 'orchestrator'
  | 'provider-keys'
  | 'providers'
  | 'runners'
  | 'schedules'
  | 'simulator'
  | 'teams'
  | 'tools'
  | 'triggers'
  | 'usage'
  | 'versioning'
  | 'webhooks';

export type Section = `interface ${string}` | `decisions ${number}`;

export interface Requirement<Id extends string = string> {
  readonly id: Id;
  /** Chapter of the interface, or of the decisions that complete it. */
  readonly section: Section;
  readonly feature: Feature;
  readonly rule: string;
}

/** The rules of one chapter that belong to one feature: id to sentence. */
export function rules<const Texts extends Record<string, string>>(
  section: Section,
  feature: Feature,
  texts: Texts,
): readonly Requirement<keyof Texts & string>[] {
  return Object.entries(texts).map(([id, rule]) => ({ id, section, feature, rule }));
}
